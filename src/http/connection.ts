import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const nothing = Buffer.alloc(0);

/** Answers of one connection that its client has not taken yet: beyond either bound further requests wait. */
const unansweredMax = { keyed: 16, keyless: 1 };
const unsentBytesMax = { keyed: 256 * 1024, keyless: 64 * 1024 };
/** What the parser is given at a time: no more requests than these hold are taken before it can be stopped. */
const pieceBytes = { keyed: 1_024, keyless: 64 };
/** Answers in a row that refuse requests sent ahead; the last of them ends the connection. */
const refusalsInRowMax = { keyed: 50, keyless: 20 };

interface Answer {
  readonly response: ServerResponse;
  bytes: number;
}

/** How much all connections hold of what was not parsed yet. */
export interface AheadTotal {
  bytes: number;
}

/** One open connection. */
export class Connection {
  readonly socket: Socket;
  /** The answer that ends the connection is written; whatever still comes in is not looked at. */
  closing = false;
  /** A valid key was seen on it. */
  isKeyed = false;
  /** The last request was refused for overload. */
  wasShed = false;
  /** The client was being served when the overload began. */
  isEstablished = false;
  /** The answer to the last request taken, which is also the last to be written: answers keep the order of their requests. */
  lastResponse: ServerResponse | undefined;
  /** Since when bytes have been waiting for the peer to take them; `undefined` while none wait. */
  waitingSinceMs: number | undefined;
  /** Looks at the connection in a row that found it idle. */
  idleSweeps = 0;
  bytesReadAtSweep = 0;
  /** Requests whose turn has not come, because the client is behind with taking its answers. */
  readonly waiting: (() => void)[] = [];
  /** What arrived and was not parsed yet. */
  #rest: Buffer = nothing;
  #isPausedByUs = false;
  #isPausedByServer = false;
  readonly #parse: (piece: Buffer) => void;
  readonly #ahead: AheadTotal;
  #answers: Answer[] = [];
  #refusals = 0;

  /**
   * Takes the place of the HTTP server's listener for what arrives, which would parse all of it at once: thousands of
   * requests, without a way to stop in between.
   */
  constructor(socket: Socket, ahead: AheadTotal) {
    this.socket = socket;
    this.#ahead = ahead;
    const [parse] = socket.listeners('data') as ((piece: Buffer) => void)[];
    this.#parse = parse!;
    socket.removeListener('data', parse!);
    socket.on('data', (chunk: Buffer) => {
      this.#keep(this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]));
      this.#parseRest();
    });
    socket.on('resume', () => {
      this.#isPausedByServer = false;
      this.#parseRest();
    });
    socket.once('close', () => this.#keep(nothing));
  }

  /** No request waits any more: what has arrived is parsed, and more is read. */
  readOn(): void {
    if (this.#isPausedByUs) {
      this.#isPausedByUs = false;
      this.socket.resume();
    } else {
      this.#parseRest();
    }
  }

  /** Parses what arrived, as long as no request waits for its turn; what is left then waits too, and nothing more is read. */
  #parseRest(): void {
    while (this.#rest.length > 0 && this.waiting.length === 0 && !this.closing && !this.#isPaused) {
      const rest = this.#rest;
      const bytes = pieceBytes[this.#standing];
      const isWhole = rest.length <= bytes;
      this.#keep(isWhole ? nothing : rest.subarray(bytes));
      this.#parse(isWhole ? rest : rest.subarray(0, bytes));
      // While its answers are not taken the server pauses a connection itself, and must resume it itself.
      this.#isPausedByServer = this.socket.isPaused();
    }
    if (this.closing) this.#keep(nothing);
    else if (this.waiting.length > 0 && !this.#isPaused) {
      this.#isPausedByUs = true;
      this.socket.pause();
    }
  }

  get #isPaused(): boolean {
    return this.#isPausedByUs || this.#isPausedByServer;
  }

  /** However little is left of what arrived together, all of it stays in memory. */
  #keep(rest: Buffer): void {
    this.#ahead.bytes += sizeInMemory(rest) - sizeInMemory(this.#rest);
    this.#rest = rest;
  }

  /** True while the client has taken few enough of its answers that another may be made. */
  get hasRoom(): boolean {
    this.#forgetTaken();
    const standing = this.#standing;
    const isFew = this.#answers.length < unansweredMax[standing] && this.unsentBytes < unsentBytesMax[standing];
    return isFew || this.#answers.length === 0;
  }

  /** Bytes of answers that the client has not taken. */
  get unsentBytes(): number {
    return this.#answers.reduce((total, { bytes }) => total + bytes, 0);
  }

  get isIdle(): boolean {
    this.#forgetTaken();
    return this.#answers.length === 0 && !this.hasMore;
  }

  /** More arrived than was answered or is being answered. */
  get hasMore(): boolean {
    return this.waiting.length > 0 || this.#rest.length > 0;
  }

  /** A request is being answered. */
  answering(response: ServerResponse): void {
    this.#answers.push({ response, bytes: 0 });
  }

  /** Its answer is written. */
  answered(response: ServerResponse, bytes: number): void {
    const answer = this.#answers.find((each) => each.response === response);
    if (answer !== undefined) answer.bytes = bytes;
  }

  /**
   * Whether an answer is one refusal too many in a row, of requests that were sent without waiting for it.
   *
   * @param weight how much it refuses; 0 for one that does not
   */
  isLastRefusal(weight: number): boolean {
    const isAhead = this.#answers.length > 1 || this.hasMore;
    this.#refusals = weight > 0 && isAhead ? this.#refusals + weight : 0;
    return this.#refusals >= refusalsInRowMax[this.#standing];
  }

  /** Runs `then` once the client has taken the oldest of its answers. */
  afterNextTaken(then: () => void): void {
    this.#answers[0]?.response.once('finish', then);
  }

  get #standing(): 'keyed' | 'keyless' {
    return this.isKeyed ? 'keyed' : 'keyless';
  }

  #forgetTaken(): void {
    while (this.#answers[0]?.response.writableFinished) this.#answers.shift();
  }
}

function sizeInMemory(part: Buffer): number {
  return part.length === 0 ? 0 : part.buffer.byteLength;
}
