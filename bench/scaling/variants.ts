import { fixedPort } from '../../test/support/fixed-port.ts';
import { servedTickers } from '../fixture/service.ts';
import type { StillService } from '../fixture/still-service.ts';
import type { Core, MeasuredProcess } from '../processes.ts';
import type { Scope } from '../scope.ts';
import { type Finding, notMeasured } from './finding.ts';
import { type Node, startServing } from './node.ts';
import { redisMissing, startRedis } from './redis.ts';

/** A process that keeps its limits in one of the ways compared. */
export interface Variant {
  readonly name: string;
  readonly node: Node;
  /** Processor time of everything behind it, in seconds; `undefined` on a system that does not report it. */
  processorSeconds(): number | undefined;
}

export const inMemory = 'limits in memory';
export const inRedis = 'limits in Redis';
export const onePort = '2 processes on one port, every core';

/** Starts all that this machine and this version have, on what the still service has learnt, which ends. */
export async function startVariants(
  scope: Scope,
  { service, installation }: StillService,
  markets: number,
): Promise<{ readonly variants: readonly Variant[]; readonly missing: readonly Finding[] }> {
  const variants: Variant[] = [];
  const missing: Finding[] = [];
  const add = async (name: string, core: Core, env: Record<string, string>, behind?: MeasuredProcess) => {
    scope.progress(`${name}: it starts`);
    const node = await startServing(scope, installation, { core, env });
    const { process, baseUrl } = node;
    await servedTickers({ baseUrl }, installation.keys[0]!, markets);
    const processorSeconds = () =>
      sum(process.processorSeconds(), behind === undefined ? 0 : behind.processorSeconds());
    variants.push({ name, node, processorSeconds });
  };
  await service.stop();
  await add(inMemory, 'measured', {});
  const redis = await startRedis(scope);
  if (redis === undefined) {
    missing.push(notMeasured(inRedis, redisMissing!), notMeasured(onePort, redisMissing!));
    return { variants, missing };
  }
  const env = { MDAPI_REDIS: redis.url };
  await add(inRedis, 'measured', env, redis.process);
  await add('1 process, every core', 'all', env, redis.process);
  const shared = { ...env, MDAPI_SERVER_PORT: String(await fixedPort()), MDAPI_SERVER_REUSE_PORT: 'true' };
  const twin = await startServing(scope, installation, { core: 'all', env: shared });
  await add(onePort, 'all', shared, redis.process);
  const pair = variants.at(-1)!;
  const processorSeconds = () => sum(pair.processorSeconds(), twin.process.processorSeconds());
  return { variants: [...variants.slice(0, -1), { ...pair, processorSeconds }], missing };
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}
