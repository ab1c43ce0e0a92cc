import { sleep, systemClock } from '../../src/ground/clock.ts';
import { type Metrics, readMetrics } from '../support/metrics-text.ts';
import type { Sample, SoakRecord } from './record.ts';
import { quantile } from './statistics.ts';

const megabyte = 1024 * 1024;

/** Looks at the process once a second through its metrics. `look` is shown each sample as it comes. */
export async function takeSamples(
  adminUrl: string,
  record: SoakRecord,
  signal: AbortSignal,
  look: (sample: Sample) => void,
): Promise<void> {
  let dueMs = performance.now();
  while (!signal.aborted) {
    const metrics = await scrape(adminUrl).catch(() => undefined);
    if (metrics !== undefined) {
      const sample = sampleOf(metrics, record.takeLatencies());
      record.samples.push(sample);
      look(sample);
    }
    dueMs = Math.max(dueMs + 1_000, performance.now());
    await sleep(systemClock, Math.max(0, dueMs - performance.now()), signal);
  }
}

export async function scrape(adminUrl: string): Promise<Metrics> {
  const response = await fetch(`${adminUrl}/metrics`, { headers: { Connection: 'close' } });
  return readMetrics(await response.text());
}

/** Whether every source has markets that it makes the price of or could, and none that it lost. */
export async function isDelivering(adminUrl: string, sources: readonly string[]): Promise<boolean> {
  const metrics = await scrape(adminUrl).catch(() => undefined);
  if (metrics === undefined) return false;
  const markets = (source: string, state: string) => metrics.value('mdapi_source_markets', { source, state });
  return sources.every((id) => markets(id, 'used') + markets(id, 'standby') > 0 && markets(id, 'stale') === 0);
}

function sampleOf(metrics: Metrics, latencies: readonly number[]): Sample {
  const hasData = metrics.samples.some(({ name }) => name === 'mdapi_market_data_age_seconds');
  return {
    atMs: Date.now(),
    residentMb: metrics.value('mdapi_process_resident_memory_bytes') / megabyte,
    heapMb: metrics.value('mdapi_nodejs_heap_size_used_bytes') / megabyte,
    connections: metrics.value('mdapi_connections_open'),
    timers: metrics.value('mdapi_nodejs_active_resources', { type: 'Timeout' }),
    eventLoopP99Ms: metrics.value('mdapi_event_loop_delay_seconds', { percentile: '99' }) * 1000,
    dataAgeS: hasData ? metrics.value('mdapi_market_data_age_seconds') : undefined,
    latencyP99Ms: quantile(latencies, 0.99),
    answers: latencies.length,
  };
}
