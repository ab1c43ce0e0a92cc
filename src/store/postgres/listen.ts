import { Backoff } from '../../ground/backoff.ts';
import { type Clock, type Randomness, sleep } from '../../ground/clock.ts';
import type { ChangeSignal } from '../watch-changes.ts';
import { clientClassFor, type SocketClient, usualTimeouts } from './client.ts';
import type { PostgresLocation } from './location.ts';

/** The channel on which the triggers announce that something changed. The tables say what. */
const changeChannel = 'mdapi_changes';
const retryRange = { minMs: 200, maxMs: 5_000, jitter: 'equal' } as const;
/** A query now and then finds a connection that was cut off silently. */
const pingEveryMs = 5_000;

/**
 * Wakes a watch when the triggers notify, over a connection of its own that reconnects. It also wakes it whenever it
 * has connected, for what happened before. While it is down the watch still looks by itself, so its failures need no
 * message.
 */
export function changeSignalOf(location: PostgresLocation, clock: Clock, randomness: Randomness): ChangeSignal {
  const Client = clientClassFor(location, usualTimeouts);
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

/** Resolves when the connection has ended, for whatever reason, to whether it had begun to listen. */
async function listenOnce(client: SocketClient, clock: Clock, signal: AbortSignal, wake: () => void): Promise<boolean> {
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
    const ping = clock.every(pingEveryMs, () => {
      client.query('select 1').catch(cut);
    });
    await ended;
    ping.cancel();
    return true;
  } catch {
    return false;
  } finally {
    cut();
    signal.removeEventListener('abort', cut);
  }
}
