import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { DirectReply } from './direct-reply.ts';

/** The parts of a parsed request that its answer depends on. */
export type RequestHead = Pick<
  IncomingMessage,
  'method' | 'url' | 'headers' | 'httpVersionMajor' | 'httpVersionMinor' | 'socket'
>;

/** Answers a request that came once more. */
export type AnswerAgain = (request: RequestHead, reply: DirectReply) => void;

const headEnd = Buffer.from('\r\n\r\n');

/** Where a request names the answer that its client has (RFC 9110 §13.1.2). */
interface TagPlace {
  readonly start: number;
  readonly end: number;
}

/** Entity tags of this service: no comma, no space, nothing that a parser would read in another way. */
const singleTag = /^"[\w-]+"$/;

/**
 * The last request of a connection, to know it when it comes once more, byte for byte but for the entity tag of the
 * answer in between: a client that polls sends nothing else. It means what it meant then, since the parser begins where
 * it began then. Everything but parsing is done again.
 */
export class RepeatedRequest {
  readonly #reply: DirectReply;
  /** Nothing of a request that is not complete was parsed. */
  #isBetweenRequests = true;
  #last: { readonly request: RequestHead; readonly answer: AnswerAgain } | undefined;
  #bytes: Buffer | undefined;
  /** Its place in the bytes; `undefined` where they have none, or not just one. */
  #tag: TagPlace | undefined;

  constructor(socket: Socket) {
    this.#reply = new DirectReply(socket);
  }

  /** Whether what arrived is the last request once more, under its own entity tag or another one. */
  comesAgain(chunk: Buffer): boolean {
    return this.#bytes !== undefined && (chunk.equals(this.#bytes) || this.#takeTag(chunk));
  }

  /** Whether the piece differs in the entity tag alone. Then it is the last request from now on. */
  #takeTag(chunk: Buffer): boolean {
    const bytes = this.#bytes!;
    if (this.#tag === undefined || chunk.length !== bytes.length) return false;
    const { start, end } = this.#tag;
    if (chunk.compare(bytes, 0, start, 0, start) !== 0 || chunk.compare(bytes, end, undefined, end) !== 0) return false;
    const tag = chunk.toString('latin1', start, end);
    if (!singleTag.test(tag)) return false;
    bytes.set(chunk);
    const { request, answer } = this.#last!;
    this.#last = { request: { ...request, headers: { ...request.headers, 'if-none-match': tag } }, answer };
    return true;
  }

  /** Has the last request answered again. Only where it came again, and no answer is due. */
  answer(): void {
    const { request, answer } = this.#last!;
    this.#reply.begin();
    answer(request, this.#reply);
  }

  /** The parser is about to get a piece of what arrived. */
  parsing(): void {
    this.#last = undefined;
    this.#bytes = undefined;
  }

  /**
   * The parser has found a request.
   *
   * @param answer absent where it must not be answered so: it has a body, say, or ends the connection
   */
  took({ method, url, headers, httpVersionMajor, httpVersionMinor, socket }: RequestHead, answer?: AnswerAgain): void {
    const request = { method, url, headers, httpVersionMajor, httpVersionMinor, socket } as RequestHead;
    this.#last = answer && { request, answer };
  }

  /** The parser has read the piece. @param isKept remember it, if it is exactly one request */
  parsed(piece: Buffer, isKept: boolean): void {
    const wasBetweenRequests = this.#isBetweenRequests;
    this.#isBetweenRequests = this.#last !== undefined && piece.indexOf(headEnd) === piece.length - headEnd.length;
    // A copy: what was read is a part of something larger.
    if (wasBetweenRequests && this.#isBetweenRequests && isKept) {
      this.#bytes = Buffer.from(piece);
      this.#tag = tagPlace(piece, this.#last!.request.headers['if-none-match']);
    } else this.#last = undefined;
  }
}

/** @param tag what the parser found: a single one where there is one line of it */
function tagPlace(piece: Buffer, tag: string | undefined): TagPlace | undefined {
  if (tag === undefined || !singleTag.test(tag)) return undefined;
  const line = /\r\nif-none-match:[ \t]*/i.exec(piece.toString('latin1'))!;
  const start = line.index + line[0].length;
  return { start, end: start + tag.length };
}
