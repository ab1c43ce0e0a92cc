import type { Socket } from 'node:net';
import type { Reply } from './direct-reply.ts';
import { type AnswerAgain, RepeatedRequest, type RequestHead } from './repeated-request.ts';

const nothing = Buffer.alloc(0);

/** Bounds of what one connection may ask for ahead of its answers. */
interface Bounds {
  /** Answers that its client has not taken yet: beyond either bound further requests wait. */
  readonly unansweredMax: number;
  readonly unsentBytesMax: number;
  /** Bytes given to the parser at a time. It can be stopped only between two such pieces. */
  readonly pieceBytes: number;
}

const keyed: Bounds = { unansweredMax: 16, unsentBytesMax: 256 * 1024, pieceBytes: 1_024 };
const keyless: Bounds = { unansweredMax: 1, unsentBytesMax: 64 * 1024, pieceBytes: 64 };
/** Answers in a row that refuse requests sent ahead; the last of them ends the connection. */
const refusalsInRowMax = 50;

interface Answer {
  readonly reply: Reply;
  bytes: number;
}

interface SweepBounds {
  /** A client that has not taken its answers by then is slow. */
  readonly writeTimeoutMs: number;
  /** One without a key that is idle in so many looks is ended. */
  readonly idleSweepsMax: number;
}

/** A member of Node's own that no type names: while `_paused` the parser takes nothing; bytes would end the process. */
interface ParsedSocket extends Socket {
  readonly _paused?: boolean;
}

/** Totals over all connections. */
export interface Held {
  /** Bytes sent by clients and not parsed yet. */
  ahead: number;
  /** Bytes of answers that clients have not taken. */
  unsent: number;
  /** Requests whose turn has not come. */
  waiting: number;
}

/** One open connection. */
export class Connection {
  readonly socket: Socket;
  /** `IpAddress.limitBucket` of the peer; `undefined` for the operator's own proxies. */
  readonly bucket: string | undefined;
  #isClosing = false;
  #isKeyed = false;
  #wasShed = false;
  #isEstablished = false;
  #lastReply: Reply | undefined;
  #waitingSinceMs: number | undefined;
  /** Sweeps in a row that found it idle. */
  #idleSweeps = 0;
  #bytesReadAtSweep = 0;
  /** Requests whose turn has not come, because the client is behind with taking its answers. */
  readonly #waiting: (() => void)[] = [];
  /** Bytes that arrived and were not parsed yet. */
  #rest: Buffer = nothing;
  #isPausedByUs = false;
  #isPausedByServer = false;
  readonly #parse: (piece: Buffer) => void;
  readonly #repeated: RepeatedRequest;
  /**
   * The answer to a repeated request is being made, of which the server knows nothing: it must not answer another one
   * before.
   */
  #isRepeating = false;
  readonly #held: Held;
  /** Answers that are being made, and those whose bytes the client has not taken. */
  readonly #answers: Answer[] = [];
  #unsentBytes = 0;
  #refusals = 0;

  /**
   * Takes the place of the HTTP server's listener for what arrives, which would parse all of it at once: thousands of
   * requests, without a way to stop in between.
   *
   * @param arrivedAhead called when something arrived and not all that is here could be answered
   */
  constructor(socket: Socket, bucket: string | undefined, held: Held, arrivedAhead: () => void) {
    this.socket = socket;
    this.bucket = bucket;
    this.#held = held;
    this.#repeated = new RepeatedRequest(socket);
    const [parse] = socket.listeners('data') as ((piece: Buffer) => void)[];
    this.#parse = parse!;
    socket.removeListener('data', parse!);
    socket.on('data', (chunk: Buffer) => {
      if (this.isIdle && this.#mayParse && this.#repeated.comesAgain(chunk)) {
        this.#isRepeating = true;
        this.#repeated.answer();
      }
      // Nearly always a request, the whole of it, and nothing else.
      else if (this.#rest.length === 0 && chunk.length <= this.#bounds.pieceBytes && this.#mayParse)
        this.#parsePiece(chunk);
      else this.#keep(this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]));
      this.#parseRest();
      if (this.hasMore) arrivedAhead();
    });
    socket.on('resume', () => {
      // The server may go on with what its parser has kept, pause for that, and only then have the socket resume.
      if (this.#isPausedByUs || (socket as ParsedSocket)._paused) {
        socket.pause();
        return;
      }
      this.#isPausedByServer = false;
      this.#parseRest();
    });
    socket.once('close', () => {
      this.#keep(nothing);
      for (const answer of this.#answers) this.#wait(answer, 0);
    });
  }

  /** No request waits any more: what has arrived is parsed, and more is read. */
  #readOn(): void {
    if (this.#isPausedByUs) {
      this.#isPausedByUs = false;
      this.socket.resume();
    } else {
      this.#parseRest();
    }
  }

  /**
   * Parses what arrived, as long as no request waits for its turn; what is left then waits too, and nothing more is
   * read.
   */
  #parseRest(): void {
    while (this.#rest.length > 0 && this.#mayParse) {
      const rest = this.#rest;
      const bytes = this.#bounds.pieceBytes;
      const isWhole = rest.length <= bytes;
      this.#keep(isWhole ? nothing : rest.subarray(bytes));
      this.#parsePiece(isWhole ? rest : rest.subarray(0, bytes));
    }
    if (this.#isClosing) this.#keep(nothing);
    else if (this.hasMore && !this.#isPaused) {
      this.#isPausedByUs = true;
      this.socket.pause();
    }
  }

  #parsePiece(piece: Buffer): void {
    this.#repeated.parsing();
    this.#parse(piece);
    this.#repeated.parsed(piece, this.#isKeyed);
    // While its answers are not taken the server pauses a connection itself, and must resume it itself.
    this.#isPausedByServer = this.socket.isPaused();
  }

  get #mayParse(): boolean {
    return this.#waiting.length === 0 && !this.#isRepeating && !this.#isClosing && !this.#isPaused;
  }

  get #isPaused(): boolean {
    return this.#isPausedByUs || this.#isPausedByServer || (this.socket as ParsedSocket)._paused === true;
  }

  /** However little is left of what arrived together, all of it stays in memory. */
  #keep(rest: Buffer): void {
    if (rest.length === 0 && this.#rest.length === 0) return;
    this.#held.ahead += sizeInMemory(rest) - sizeInMemory(this.#rest);
    this.#rest = rest;
  }

  /** True while the client has taken few enough of its answers that another may be made. */
  get #hasRoom(): boolean {
    if (this.#answers.length === 0) return true;
    const { unansweredMax, unsentBytesMax } = this.#bounds;
    return this.#answers.length < unansweredMax && this.unsentBytes < unsentBytesMax;
  }

  /** Bytes of answers that the client has not taken. */
  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  get isIdle(): boolean {
    return this.#answers.length === 0 && !this.hasMore;
  }

  /** More arrived than was answered or is being answered. */
  get hasMore(): boolean {
    return this.#waiting.length > 0 || this.#rest.length > 0;
  }

  /** The answer that ends the connection is written or on its way; whatever still comes in is not looked at. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** See {@link Connections.isRepeating}. */
  get isRepeating(): boolean {
    return this.#isRepeating;
  }

  /** A valid key was seen on it. */
  get isKeyed(): boolean {
    return this.#isKeyed;
  }

  /** The client was being served when the overload began. */
  get isEstablished(): boolean {
    return this.#isEstablished;
  }

  /**
   * The answer to the last request taken, which is also the last to be written: answers keep the order of their
   * requests.
   */
  get lastReply(): Reply | undefined {
    return this.#lastReply;
  }

  /** A request came. @param again see `RepeatedRequest.took` */
  took(request: RequestHead, reply: Reply, again?: AnswerAgain): void {
    this.#lastReply = reply;
    if (!this.#isRepeating) this.#repeated.took(request, again);
  }

  /** A request was decided: whether it had a valid key, and whether it was refused for overload. */
  decided(isKeyed: boolean, wasShed: boolean): void {
    this.#isKeyed ||= isKeyed;
    this.#wasShed = wasShed;
  }

  /** New clients begin to be refused: one with a key that was answered until now is not new. */
  markEstablished(): void {
    this.#isEstablished = this.#isKeyed && !this.#wasShed;
  }

  /** No further request is taken. */
  close(): void {
    this.#isClosing = true;
  }

  /** It has had its last answer: nothing that waits on it is answered. */
  end(): void {
    this.close();
    this.#held.waiting -= this.#waiting.length;
    this.#waiting.length = 0;
  }

  /**
   * Looks at what became of it since the last look. One that never sent anything is not idle but late, and ended for
   * that.
   */
  sweep(nowMs: number, { writeTimeoutMs, idleSweepsMax }: SweepBounds): 'idle' | 'slow' | undefined {
    const { bytesRead, writableLength } = this.socket;
    const isQuiet = bytesRead === this.#bytesReadAtSweep && this.isIdle;
    this.#bytesReadAtSweep = bytesRead;
    this.#idleSweeps = isQuiet ? this.#idleSweeps + 1 : 0;
    if (!this.#isKeyed && this.#lastReply !== undefined && this.#idleSweeps >= idleSweepsMax) return 'idle';
    if (writableLength === 0) this.#waitingSinceMs = undefined;
    else this.#waitingSinceMs ??= nowMs;
    return nowMs - (this.#waitingSinceMs ?? nowMs) >= writeTimeoutMs ? 'slow' : undefined;
  }

  /** Runs `decide` now, or keeps it until it is its turn. Returns how many wait. */
  takeTurn(decide: () => void): number {
    if (this.#waiting.length === 0 && this.#hasRoom) {
      decide();
      return 0;
    }
    this.#held.waiting++;
    return this.#waiting.push(decide);
  }

  /** Answers those whose turn has come. False where some still wait. */
  continue(): boolean {
    while (this.#waiting.length > 0 && this.#hasRoom) {
      this.#held.waiting--;
      this.#waiting.shift()!();
    }
    if (this.#waiting.length > 0) return false;
    this.#readOn();
    return true;
  }

  /** A request is being answered. */
  answering(reply: Reply): void {
    this.#answers.push({ reply, bytes: 0 });
  }

  /** Its answer is written. Nearly always the system takes all of it at once, and nothing waits. */
  answered(reply: Reply, bytes: number): void {
    const last = this.#answers.at(-1);
    const answer = last?.reply === reply ? last : this.#answers.find((each) => each.reply === reply);
    if (answer === undefined) return;
    if (this.#isRepeating) {
      this.#isRepeating = false;
      if (this.#rest.length > 0) setImmediate(() => this.#readOn());
    }
    if (reply.writableLength === 0 || this.socket.destroyed) {
      this.#forget(answer);
      return;
    }
    this.#wait(answer, bytes);
    reply.once('finish', () => {
      this.#wait(answer, 0);
      this.#forget(answer);
    });
  }

  #forget(answer: Answer): void {
    if (this.#answers.at(-1) === answer) this.#answers.pop();
    else this.#answers.splice(this.#answers.indexOf(answer), 1);
  }

  #wait(answer: Answer, bytes: number): void {
    const change = bytes - answer.bytes;
    answer.bytes = bytes;
    this.#unsentBytes += change;
    this.#held.unsent += change;
  }

  /**
   * Whether an answer is one refusal too many in a row, of requests that were sent without waiting for it.
   *
   * @param weight how much it refuses; 0 for one that does not
   */
  isLastRefusal(weight: number): boolean {
    const isAhead = weight > 0 && (this.#answers.length > 1 || this.hasMore);
    this.#refusals = isAhead ? this.#refusals + weight : 0;
    return this.#refusals >= refusalsInRowMax;
  }

  /** Runs `then` once the client has taken the oldest of its answers. */
  afterNextTaken(then: () => void): void {
    this.#answers[0]?.reply.once('finish', then);
  }

  get #bounds(): Bounds {
    return this.#isKeyed ? keyed : keyless;
  }
}

function sizeInMemory(part: Buffer): number {
  return part.length === 0 ? 0 : part.buffer.byteLength;
}
