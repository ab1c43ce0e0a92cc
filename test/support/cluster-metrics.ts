import { metricsRegistry } from '../../src/admin/metrics.ts';
import { adminParts, inRedis } from '../../src/management/parts.testing.ts';
import { type Metrics, readMetrics } from './metrics-text.ts';

/** What is served only with `redis`: what a service without it does not have. */
export async function clusterMetrics(alone: Metrics): Promise<Metrics> {
  const registry = metricsRegistry(adminParts({ sharedLimits: () => inRedis }));
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  const texts = names.filter((name) => !alone.types.has(name)).map((name) => registry.getSingleMetricAsString(name));
  return readMetrics(`${(await Promise.all(texts)).join('\n')}\n`);
}
