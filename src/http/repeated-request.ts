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

/**
 * The last request of a connection, to know it when it comes once more, byte for byte: a client that polls sends
 * nothing else. It means what it meant then, since the parser begins where it began then. Everything but parsing is
 * done again.
 */
export class RepeatedRequest {
  readonly #reply: DirectReply;
  /** Nothing of a request that is not complete was parsed. */
  #isBetweenRequests = true;
  #last: { readonly request: RequestHead; readonly answer: AnswerAgain } | undefined;
  #bytes: Buffer | undefined;

  constructor(socket: Socket) {
    this.#reply = new DirectReply(socket);
  }

  matches(chunk: Buffer): boolean {
    return this.#bytes !== undefined && chunk.equals(this.#bytes);
  }

  /** Has the last request answered again. Only where it matches, and no answer is due. */
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
    if (wasBetweenRequests && this.#isBetweenRequests && isKept) this.#bytes = Buffer.from(piece);
    else this.#last = undefined;
  }
}
