import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientAddresses } from '../access/client-address.ts';
import type { MaybePromise } from '../access/limits.ts';
import { errorTable } from '../contract/errors.ts';
import { overloadRetryAfterSeconds } from '../contract/limits.ts';
import type { Clock, EpochMs } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import { type Answer, methodNotAllowed, type ProblemAnswer, problem } from './answer.ts';
import type { AnsweredRequest, ServedRequest } from './answered-request.ts';
import type { Connection } from './connection.ts';
import { type Connections, keylessKeepAliveSeconds } from './connections.ts';
import type { WritableReply } from './direct-reply.ts';
import { formLengthMax, readForm } from './form-body.ts';
import { findHttpFault, type ParserError, parserProblem, writeRawProblem } from './malformed-request.ts';
import type { Overload } from './overload.ts';
import {
  type Decision,
  type Gate,
  internalError,
  overloaded,
  Pipeline,
  type PublicRequest,
  type Routes,
} from './pipeline.ts';
import type { AnswerAgain, RequestHead } from './repeated-request.ts';
import { type RequestCounts, unmatchedRoute } from './request-counts.ts';
import type { RequestIds } from './request-ids.ts';
import { splitTarget } from './request-target.ts';
import type { ReadModel } from './resource.ts';
import { type Written, writeAnswer } from './response-writer.ts';

/** Routes and addresses, which can name the port that was taken. */
export interface Offer {
  readonly routes: Routes;
  /** Absolute, without a trailing slash: what the `type` of an Error starts with. */
  readonly errorsUrl: string;
}

/** The parts that decide and fill an answer, and the callbacks that learn of it. */
export interface ExchangeParts {
  readonly gate: Gate;
  readonly addresses: ClientAddresses;
  readonly readModel: ReadModel;
  readonly ids: RequestIds;
  /** Called after every answer to well-formed HTTP, with the headers of the request. */
  readonly onAnswered?: ((answered: AnsweredRequest, headers: IncomingHttpHeaders) => void) | undefined;
  /** Called after every answer to a valid key, before anything else can be published. */
  readonly onServed?: ((served: ServedRequest) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

interface ExchangesParts extends ExchangeParts, Offer {
  readonly connections: Connections;
  readonly overload: Pick<Overload, 'shed'>;
  readonly counts: RequestCounts;
  /** The listener speaks TLS. */
  readonly isSecure: boolean;
  /** How long a connection with a valid key is promised to stay open. */
  readonly keepAliveSeconds: number;
}

/** A request under way, and where its answer goes. */
interface Exchange {
  readonly request: RequestHead;
  readonly reply: WritableReply;
  readonly connection: Connection;
  readonly requestId: string;
  /** The number that the id hides. */
  readonly number: number;
  /** When it came, by the monotonic clock. */
  readonly cameMs: number;
  /** See `readForm`. Left out where no form is taken. */
  readonly form: Promise<string | undefined> | undefined;
  /** Its answer is the last on its connection. */
  closes: boolean;
  /** The request as it is decided, once it was looked at. */
  asked: PublicRequest | undefined;
}

/**
 * The requests of a listener and their answers. Reads a request's identifier, address and instant once, has the
 * pipeline decide, and writes the answer; every failure, however low it happens, is a problem document.
 */
export class Exchanges {
  readonly #parts: ExchangesParts;
  readonly #pipeline: Pipeline;
  #isDraining = false;

  constructor(parts: ExchangesParts) {
    this.#parts = parts;
    this.#pipeline = new Pipeline({ ...parts, failed: this.#logFailure });
  }

  /** From now on every answer asks its client to close the connection, so that none is cut while it asks. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Answers a request when it is its turn. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.#take(request, response);
    if (exchange !== undefined) this.#parts.connections.whenItsTurn(exchange.connection, () => this.#answer(exchange));
  }

  #answer(exchange: Exchange): void {
    exchange.connection.answering(exchange.reply);
    try {
      const decision = this.#decide(exchange);
      if (!(decision instanceof Promise)) this.#write(exchange, decision);
      else decision.then((known) => this.#write(exchange, known)).catch((error) => this.#failed(exchange, error));
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  /**
   * Whatever concerns the requests that follow on the connection is settled here, in the order of the requests:
   * their decisions may come in another. `node:http` writes the answers in order.
   */
  #take(request: IncomingMessage, response: ServerResponse): Exchange | undefined {
    const connection = this.#parts.connections.taking(request.socket);
    if (connection === undefined) return undefined;
    const form = this.#isForm(request) ? readForm(request, this.#parts.clock) : undefined;
    const exchange = this.#begin(connection, request, response, form);
    const hasBody = form === undefined && announcesBody(request.headers);
    if (hasBody) this.#parts.connections.discardBody(request, response);
    // The parser takes what follows an upgrade for another protocol (RFC 9110 §7.8), which is not supported.
    if (hasBody || request.headers.upgrade !== undefined) this.#closeAfter(exchange);
    const isRepeatable = request.method === 'GET' && response.shouldKeepAlive;
    connection.took(request, response, isRepeatable ? this.#answerAgain : undefined);
    return exchange;
  }

  /** For a request that came once more it is always its turn: no other one waits. */
  readonly #answerAgain: AnswerAgain = (request, reply) => {
    const connection = this.#parts.connections.taking(request.socket);
    if (connection === undefined) return;
    connection.took(request, reply);
    this.#answer(this.#begin(connection, request, reply));
  };

  #begin(connection: Connection, request: RequestHead, reply: WritableReply, form?: Exchange['form']): Exchange {
    const { clock, ids } = this.#parts;
    const cameMs = clock.monotonicMs();
    const requestId = ids.next();
    return {
      request,
      reply,
      connection,
      requestId,
      number: ids.last,
      cameMs,
      form,
      closes: false,
      asked: undefined,
    };
  }

  #isForm({ method, url = '', headers }: IncomingMessage): boolean {
    if (method !== 'POST' || !(Number(headers['content-length']) <= formLengthMax)) return false;
    return this.#parts.routes.uncounted.get(splitTarget(url).path)?.submit !== undefined;
  }

  #closeAfter(exchange: Exchange): void {
    exchange.closes = true;
    exchange.connection.close();
  }

  #failed(exchange: Exchange, error: unknown): void {
    const { request, reply, requestId } = exchange;
    this.#logFailure(error, requestId);
    if (reply.headersSent) request.socket.destroy();
    else this.#write(exchange, unrouted(internalError));
  }

  readonly #logFailure = (error: unknown, requestId: string): void => {
    this.#parts.log.error({ err: error, requestId }, 'a request failed');
  };

  #decide(exchange: Exchange): MaybePromise<Decision> {
    const { request, connection, requestId } = exchange;
    const fault = findHttpFault(request);
    if (fault !== undefined) {
      this.#closeAfter(exchange);
      return unrouted(fault);
    }
    const { clock, addresses } = this.#parts;
    const { headers, method = '', url = '/', socket } = request;
    const target = splitTarget(url);
    const now = clock.now();
    const address = addresses.resolve(socket.remoteAddress, headers['x-forwarded-for'] as string | undefined);
    const shed = this.#parts.overload.shed(connection.isEstablished);
    exchange.asked = { requestId, now, address, method, target, headers, form: exchange.form, shed };
    return this.#pipeline.decide(exchange.asked);
  }

  /** Refuses a request whose `Expect` header cannot be met. */
  refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.#take(request, response);
    if (exchange === undefined) return;
    this.#closeAfter(exchange);
    this.#parts.connections.whenItsTurn(exchange.connection, () => {
      exchange.connection.answering(response);
      this.#write(exchange, unrouted(expectationFailed));
    });
  }

  #write(exchange: Exchange, decided: Decision): void {
    const { request, reply, connection, requestId } = exchange;
    const mayStay = this.#parts.connections.mayStay(connection, decided.key !== undefined);
    const decision = mayStay ? decided : { ...decided, answer: tooManyConnections };
    if (!mayStay) this.#closeAfter(exchange);
    const { answer, verdict, key } = decision;
    const { headers } = request;
    // A request that arrived after this one is answered before the connection ends.
    const isLast = connection.lastReply === reply && !connection.hasMore;
    if (this.#isDraining && isLast) this.#closeAfter(exchange);
    connection.decided(key !== undefined, answer === overloaded.answer);
    if (connection.isLastRefusal(refusalWeight(decision))) this.#closeAfter(exchange);
    const now = this.#parts.clock.now();
    const written = writeAnswer(reply, answer, {
      requestId,
      now,
      verdict,
      acceptEncoding: headers['accept-encoding'] as string | undefined,
      ifNoneMatch: headers['if-none-match'],
      closes: exchange.closes,
      keepAliveSeconds: connection.isKeyed ? this.#parts.keepAliveSeconds : keylessKeepAliveSeconds,
      isSecure: this.#parts.isSecure,
      errorsUrl: this.#parts.errorsUrl,
    });
    connection.answered(reply, written.bytes);
    if (exchange.closes) connection.end();
    this.#report(exchange, decision, written, now);
  }

  /** Counts the answer, and passes it to the callbacks that log and record answers. */
  #report(exchange: Exchange, { answer, route, key }: Decision, { status, bytes }: Written, at: EpochMs): void {
    const { requestId, number, request, asked, cameMs } = exchange;
    const { clock, gate, onAnswered, onServed } = this.#parts;
    const durationMs = clock.monotonicMs() - cameMs;
    const code = answer.kind === 'problem' ? answer.code : undefined;
    const keyId = key && gate.keys.keyIdOf(key.slot);
    this.#parts.counts.answered(route, status, durationMs);
    if (code !== undefined) this.#parts.counts.problem(code);
    if (answer === overloaded.answer) this.#parts.counts.wasShed();
    onAnswered?.({ requestId, at, durationMs, route, status, code, bytes, keyId }, request.headers);
    if (keyId === undefined || asked === undefined) return;
    onServed?.({ request: number, keyId, now: asked.now, query: asked.target.query, route, status, answer });
  }

  /** Refuses bytes that are no request. */
  refuseBytes(error: ParserError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else this.#refuseRaw(socket, parserProblem(error));
  }

  /** Refuses a CONNECT, after which the parser has left the connection. */
  refuseTunnel(socket: Socket): void {
    this.#refuseRaw(socket, methodNotAllowed, true);
  }

  /**
   * Ends a connection that has no parser any more, with a problem after the answers that are due.
   *
   * @param isUnread nothing reads the socket any more, and unread bytes would reset the connection before the answer
   * arrives
   */
  #refuseRaw(socket: Socket, answer: ProblemAnswer, isUnread = false): void {
    const { connections, counts, ids, errorsUrl } = this.#parts;
    const connection = connections.taking(socket);
    if (connection === undefined) {
      connections.afterLastAnswer(socket, 'writableEnded', () => socket.destroy());
      return;
    }
    if (isUnread) socket.resume();
    connection.close();
    counts.answered(unmatchedRoute, errorTable[answer.code].status, 0);
    counts.problem(answer.code);
    const write = () => writeRawProblem(socket, answer, ids.next(), errorsUrl);
    connections.afterLastAnswer(socket, 'writableFinished', write);
  }
}

/** A GET has no use for a body; one that announces it gets its answer, and then the connection ends. */
function announcesBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** How much an answer refuses its client, who gains nothing by asking again at once; 0 for one that does not. */
function refusalWeight({ answer, limitedBy }: Decision): number {
  if (answer === overloaded.answer) return 10;
  // No client of the API asks for pages ahead.
  if (limitedBy === 'page') return 5;
  if (answer.kind !== 'problem') return 0;
  const { status } = errorTable[answer.code];
  return status === 401 || status === 429 ? 1 : 0;
}

function unrouted(answer: Answer): Decision {
  return { answer, route: unmatchedRoute, verdict: undefined };
}

const tooManyConnections = problem(
  'SERVICE_OVERLOADED',
  'Too many connections from this address have shown no API key. Send a valid key, or use fewer connections.',
  overloadRetryAfterSeconds,
);

const expectationFailed = problem('EXPECTATION_FAILED', 'The Expect header cannot be satisfied.');
