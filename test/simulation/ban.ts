import type { Lane } from './scheduler.ts';
import type { FetchedReply } from './world.ts';

/** What was asked before the first answer has arrived by then. */
const inFlightMs = 10_000;

/** How exchanges say until when they answer nothing: status and body, at an instant in milliseconds since the epoch. */
const words: Readonly<Record<string, (until: number) => readonly [status: number, body: object]>> = {
  bitvavo: (until) => [
    403,
    {
      errorCode: 105,
      error: `Your IP or API key has been banned for not respecting the rate limit. The ban expires at ${until}.`,
    },
  ],
  binance: (until) => [
    418,
    { code: -1003, msg: `Way too much request weight used; IP banned until ${until}. Please use WebSocket Streams.` },
  ],
};

/** A ban of whoever asks, until an instant. The others say it in `Retry-After`. */
export class Ban {
  readonly #exchange: string;
  readonly #until: number;
  /** When each process was first told, and how often it has asked since. */
  readonly #told = new WeakMap<Lane, { readonly at: number; times: number }>();

  /** @param until in milliseconds since the epoch */
  constructor(exchange: string, until: number) {
    this.#exchange = exchange;
    this.#until = until;
  }

  /** @param again called with how often a process has asked since it was told, which this request does not know yet */
  asked(lane: Lane, again: (times: number) => void): FetchedReply {
    const now = lane.root.clock.monotonicMs();
    const told = this.#told.get(lane.root);
    if (told === undefined) this.#told.set(lane.root, { at: now, times: 0 });
    else if (now - told.at > inFlightMs) again(++told.times);
    return this.#refusal(lane);
  }

  #refusal(lane: Lane): FetchedReply {
    const said = words[this.#exchange]?.(this.#until);
    const [status, body] = said ?? [429, { error: 'Too many requests' }];
    const seconds = Math.max(1, Math.ceil((this.#until - lane.clock.now()) / 1_000));
    const headers = new Headers(said === undefined ? { 'retry-after': String(seconds) } : {});
    return { ok: false, status, headers, body: [Buffer.from(JSON.stringify(body))] };
  }
}
