import { type Clock, sleep } from '../../clock.ts';

const lookEveryMs = 20;
const patienceMs = 30_000;

/** Waits until the running service has a price to serve. False when it was told to stop before, or waited 30 s in vain. */
export async function firstPrice(adminUrl: string, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const startedMs = clock.monotonicMs();
  while (!signal.aborted && clock.monotonicMs() - startedMs < patienceMs) {
    const answer = await fetch(`${adminUrl}/prices/BTCCZK`);
    await answer.arrayBuffer();
    if (answer.ok) return true;
    await sleep(clock, lookEveryMs, signal);
  }
  return false;
}
