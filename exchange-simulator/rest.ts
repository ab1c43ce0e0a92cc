import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Timer } from '../src/ground/clock.ts';
import type { Dialect, Venue } from './dialect.ts';
import type { FaultBoard } from './fault-board.ts';
import { type Fault, flagOf, numberOf, textOf } from './fault-request.ts';
import { json, Refusal, type Reply, send, sendHalf, text } from './reply.ts';

/** The REST side of an exchange, in any dialect. */
export class Rest {
  /** How many requests each call got. */
  readonly requests: Record<string, number> = {};
  readonly #venue: Venue;
  readonly #dialect: Dialect;
  readonly #pending = new Set<Timer>();

  constructor(venue: Venue, dialect: Dialect) {
    this.#venue = venue;
    this.#dialect = dialect;
  }

  /** Answers one request as the active faults demand. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://exchange');
    const call = this.#dialect.callOf(url);
    if (call === undefined) {
      send(response, text(404, 'Not Found'));
      return;
    }
    this.requests[call] = (this.requests[call] ?? 0) + 1;
    const slow = this.#fault('rest-slow', call);
    if (slow === undefined) this.#answer(call, url, response);
    else this.#later(numberOf(slow, 'delayMs'), () => this.#answer(call, url, response));
  }

  stop(): void {
    for (const timer of this.#pending) timer.cancel();
  }

  #later(delayMs: number, run: () => void): void {
    const timer = this.#venue.clock.after(delayMs, () => {
      this.#pending.delete(timer);
      run();
    });
    this.#pending.add(timer);
  }

  #answer(call: string, url: URL, response: ServerResponse): void {
    if (response.destroyed) return;
    const reply = this.#failure(call, url) ?? this.#reply(call, url);
    if (this.#fault('rest-truncated', call) === undefined) send(response, reply);
    else sendHalf(response, reply);
  }

  #failure(call: string, url: URL): Reply | undefined {
    const limited = this.#fault('rest-429', call);
    if (limited !== undefined) {
      const reply = text(429, 'Too Many Requests');
      return flagOf(limited, 'noRetryAfter') ? reply : { ...reply, retryAfterS: numberOf(limited, 'retryAfterS') };
    }
    const broken = this.#fault('rest-500', call);
    if (broken !== undefined) return text(numberOf(broken, 'status'), 'Internal Server Error');
    const saying = this.#fault('rest-says', call);
    if (saying !== undefined && (!flagOf(saying, 'named') || namesPairs(url)))
      return { ...json(textOf(saying, 'body') ?? ''), status: numberOf(saying, 'status') };
    const page = '<!doctype html><title>Just a moment</title>';
    return this.#fault('rest-html', call) && { status: 200, contentType: 'text/html', body: page };
  }

  #reply(call: string, url: URL): Reply {
    const failing = this.#fault('rest-error', call);
    try {
      if (failing !== undefined) throw new Refusal(textOf(failing, 'message'));
      return this.#dialect.answer(call, url);
    } catch (error) {
      if (error instanceof Refusal) return this.#dialect.refusal(error.message);
      throw error;
    }
  }

  #fault(name: Parameters<FaultBoard['find']>[0], call: string): Fault | undefined {
    return this.#venue.faults.all(name).find((fault) => ['all', call].includes(textOf(fault, 'call') ?? ''));
  }
}

/** Whether a request names pairs, in whichever way. */
function namesPairs({ searchParams }: URL): boolean {
  return ['pair', 'symbol', 'symbols', 'market', 'instId'].some((name) => searchParams.has(name));
}
