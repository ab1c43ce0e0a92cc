import { type Clock, sleep } from '../../clock.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';

const lookEveryMs = 20;
const patienceMs = 30_000;

/**
 * Waits until the running service has a price to serve. False when it was told to stop before. Throws
 * `CommandError` after 30 s in vain.
 */
export async function firstPrice(adminUrl: string, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const startedMs = clock.monotonicMs();
  while (clock.monotonicMs() - startedMs < patienceMs) {
    if (signal.aborted) return false;
    const answer = await fetch(`${adminUrl}/prices/BTCCZK`);
    await answer.arrayBuffer();
    if (answer.ok) return true;
    await sleep(clock, lookEveryMs, signal);
  }
  throw new CommandError(
    exitCodes.failure,
    'exchange_silent',
    'The stand-in exchange gave no price in 30 s; see above.',
  );
}
