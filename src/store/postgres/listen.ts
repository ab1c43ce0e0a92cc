import { Backoff } from '../../backoff.ts';
import { type Clock, type Randomness, sleep } from '../../clock.ts';
import type { ChangeSignal } from '../watch-changes.ts';
import { changeChannel } from './channel.ts';
import { type Cuttable, clientClassFor, usualPatience } from './client.ts';
import type { PostgresLocation } from './url.ts';

const retryRange = { minMs: 200, maxMs: 5_000, jitter: 'equal' } as const;
/** A connection that was cut off without a word is noticed by this question. */
const askEveryMs = 5_000;

/**
 * Wakes a watch when the triggers notify, over a connection of its own that comes back by itself. It also wakes it
 * whenever it has connected: what happened before it listened was told to nobody. While it is down, the watch still looks by
 * itself, so that its failures need no words.
 */
export function changeSignalOf(location: PostgresLocation, clock: Clock, randomness: Randomness): ChangeSignal {
  const Client = clientClassFor(location, usualPatience);
  return (wake) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const ended = keepListening(() => listenOnce(new Client(), clock, signal, wake), clock, randomness, signal);
    return {
      async stop() {
        stopping.abort();
        await ended;
      },
    };
  };
}

async function keepListening(
  listen: () => Promise<boolean>,
  clock: Clock,
  randomness: Randomness,
  signal: AbortSignal,
): Promise<void> {
  const backoff = new Backoff(randomness, retryRange);
  while (!signal.aborted) {
    if (await listen()) backoff.reset();
    await sleep(clock, backoff.nextMs(), signal);
  }
}

/** Resolves when the connection has ended, for whatever reason: whether it had begun to listen. */
async function listenOnce(client: Cuttable, clock: Clock, signal: AbortSignal, wake: () => void): Promise<boolean> {
  const cut = () => void client.socket.destroy();
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  client.on('error', cut);
  signal.addEventListener('abort', cut);
  if (signal.aborted) cut();
  try {
    await client.connect();
    client.on('notification', wake);
    await client.query(`listen ${changeChannel}`);
    wake();
    const asking = clock.every(askEveryMs, () => {
      client.query('select 1').catch(cut);
    });
    await ended;
    asking.cancel();
    return true;
  } catch {
    return false;
  } finally {
    cut();
    signal.removeEventListener('abort', cut);
  }
}
