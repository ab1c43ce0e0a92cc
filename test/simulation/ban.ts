import type { Lane } from './scheduler.ts';
import { type FetchedReply, theWorld } from './world.ts';

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
  /** On the world's time line. */
  readonly #endsAtMs: number;
  /** When each process was first told, and how often it has asked since. */
  readonly #told = new WeakMap<Lane, { readonly at: number; times: number }>();

  /** @param endsAtMs on the world's time line */
  constructor(exchange: string, endsAtMs: number) {
    this.#exchange = exchange;
    this.#endsAtMs = endsAtMs;
  }

  /**
   * The refusal; `undefined` once the ban is over.
   *
   * @param again called with how often a process has asked since it was told, which this request does not know yet
   */
  asked(lane: Lane, again: (times: number) => void): FetchedReply | undefined {
    if (theWorld().nowMs >= this.#endsAtMs) return undefined;
    const now = lane.root.clock.monotonicMs();
    const told = this.#told.get(lane.root);
    if (told === undefined) this.#told.set(lane.root, { at: now, times: 0 });
    else if (now - told.at > inFlightMs) again(++told.times);
    return this.#refusal(lane);
  }

  /** The instant is one of the clock of whoever asks: that an exchange's is off by minutes is another fault. */
  #refusal(lane: Lane): FetchedReply {
    const leftMs = this.#endsAtMs - theWorld().nowMs;
    const said = words[this.#exchange]?.(Math.ceil(lane.clock.now() + leftMs));
    const [status, body] = said ?? [429, { error: 'Too many requests' }];
    const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
    const headers = new Headers(said === undefined ? { 'retry-after': String(seconds) } : {});
    return { ok: false, status, headers, body: [Buffer.from(JSON.stringify(body))] };
  }
}
