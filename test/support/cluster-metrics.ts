import { metricsRegistry } from '../../src/admin/metrics.ts';
import type { AdminParts } from '../../src/management/parts.ts';
import { type Metrics, readMetrics } from './metrics-text.ts';

/** What is served only with `redis`: what a service without it does not have. */
export async function clusterMetrics(alone: Metrics): Promise<Metrics> {
  const sources = {
    sharedLimits: () => ({}),
    replication: () => undefined,
  } as unknown as AdminParts;
  const registry = metricsRegistry(sources);
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  const texts = names.filter((name) => !alone.types.has(name)).map((name) => registry.getSingleMetricAsString(name));
  return readMetrics(`${(await Promise.all(texts)).join('\n')}\n`);
}
