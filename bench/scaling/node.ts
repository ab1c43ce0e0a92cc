import { readMetrics } from '../../test/support/metrics-text.ts';
import type { Installation } from '../fixture/service.ts';
import { type Core, type MeasuredProcess, startNode } from '../processes.ts';
import type { Scope } from '../scope.ts';

const program = new URL('../../bin/mdapi.js', import.meta.url).pathname;

export interface NodePlan {
  readonly core: Core;
  /** Settings beyond those of the installation, as variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The one part it runs; absent: both. */
  readonly only?: 'feed' | 'api';
}

/** One `mdapi serve` of several. */
export interface Node {
  readonly process: MeasuredProcess;
  /** Empty for a feed, which serves nobody. */
  readonly baseUrl: string;
  readonly adminUrl: string;
  /** The value of one sample of `/metrics`; 0 when there is none. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
}

/** Starts a process on the installation's configuration. */
export async function startServing(scope: Scope, { configFile }: Installation, plan: NodePlan): Promise<Node> {
  const { core, env = {}, only } = plan;
  const part = only === undefined ? [] : ['--only', only];
  const args = [program, 'serve', '--json', ...part, '--config', configFile];
  const child = scope.own(startNode({ core, args, env }));
  const addresses = JSON.parse(await child.firstLine()) as { baseUrl?: string; adminUrl: string };
  return {
    process: child,
    baseUrl: addresses.baseUrl ?? '',
    adminUrl: addresses.adminUrl,
    async metric(name, labels) {
      const answer = await fetch(`${addresses.adminUrl}/metrics`);
      return readMetrics(await answer.text()).value(name, labels);
    },
  };
}
