import { type MeasuredProcess, startNode } from '../processes.ts';
import type { Scope } from '../scope.ts';
import type { ClientStep, ConnectionPlan } from './client.ts';

const program = new URL('./client.ts', import.meta.url).pathname;

/** A client on the other core that makes its connections with the step `connect`. */
export async function startClient(
  scope: Scope,
  { url, isSecure, keys }: { readonly url: string; readonly isSecure: boolean; readonly keys: readonly string[] },
  kind: ConnectionPlan['kind'],
  count: number,
): Promise<MeasuredProcess> {
  const plan: ConnectionPlan = { port: Number(new URL(url).port), isSecure, kind, count, key: keys[0]! };
  const child = scope.own(startNode({ core: 'others', args: [program, JSON.stringify(plan)], channel: true }));
  await child.ask({ step: 'prepare' } satisfies ClientStep);
  return child;
}
