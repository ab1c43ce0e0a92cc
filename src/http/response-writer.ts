import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { LimitDecision } from '../access/limit-decision.ts';
import { errorTable, problemBody } from '../contract/errors.ts';
import { allowedMethods, headerNames, wwwAuthenticate } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { Answer, PageAnswer, ProblemAnswer } from './answer.ts';
import { DirectReply, type WritableReply } from './direct-reply.ts';
import { chooseEncoding, matchesEntityTag } from './negotiation.ts';

/** The parts of a request that decide how its answer is written. */
export interface WriteContext {
  readonly requestId: string;
  readonly now: EpochMs;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** The connection ends after this answer. */
  readonly closes: boolean;
  /** How long the connection is promised to stay open for another request. */
  readonly keepAliveSeconds: number;
  /** The listener speaks TLS. */
  readonly isSecure: boolean;
  readonly verdict: LimitDecision | undefined;
  /** Absolute, without a trailing slash. */
  readonly errorsUrl: string;
}

export interface Written {
  readonly status: number;
  readonly bytes: number;
}

/** Writes an answer whole, head and body in one go. */
export function writeAnswer(reply: WritableReply, answer: Answer, context: WriteContext): Written {
  switch (answer.kind) {
    case 'page':
      return writePage(reply, answer, context);
    case 'text': {
      const lines = headLines([
        'Content-Type',
        answer.contentType,
        'Cache-Control',
        'no-store',
        ...answer.extraHeaders,
      ]);
      return write(reply, answer.status ?? 200, lines, answer.text, context);
    }
    case 'redirect': {
      const lines = headLines(['Location', answer.location, 'Cache-Control', 'public, max-age=300']);
      return write(reply, 308, lines, '', context);
    }
    default:
      // Not a third case: what is no answer at all must throw here and not leave its client waiting.
      return writeProblem(reply, answer, context);
  }
}

function writePage(reply: WritableReply, answer: PageAnswer, context: WriteContext): Written {
  const { page, cacheControl, vary, contentType, extraHeaders, isCompressed } = answer;
  const encoding = isCompressed ? 'identity' : chooseEncoding(context.acceptEncoding);
  const entityTag = page.entityTag(encoding);
  const own = `Cache-Control: ${cacheControl}\r\nETag: ${entityTag}\r\nVary: ${vary}\r\n${headLines(extraHeaders)}`;
  if (matchesEntityTag(context.ifNoneMatch, entityTag)) {
    send(reply, 304, own, '', 'latin1', context);
    return { status: 304, bytes: 0 };
  }
  const { body, byteLength } = page.as(encoding);
  const coding = encoding === 'identity' ? '' : `Content-Encoding: ${encoding}\r\n`;
  const lines = `${own}Content-Type: ${contentType}\r\n${coding}Content-Length: ${byteLength}\r\n`;
  send(reply, 200, lines, body, 'latin1', context);
  return { status: 200, bytes: byteLength };
}

function writeProblem(reply: WritableReply, answer: ProblemAnswer, context: WriteContext): Written {
  const { code, detail } = answer;
  const body = problemBody({ code, detail, requestId: context.requestId, errorsUrl: context.errorsUrl });
  return write(reply, errorTable[code].status, headLines(problemHeaders(answer)), body, context);
}

/** The headers that every problem has, however it is written. */
export function problemHeaders({ code, retryAfterSeconds, extraHeaders }: ProblemAnswer): string[] {
  const { status } = errorTable[code];
  const headers = ['Content-Type', 'application/problem+json', 'Cache-Control', 'no-store', ...extraHeaders];
  if (retryAfterSeconds !== undefined) headers.push(headerNames.retryAfter, String(retryAfterSeconds));
  if (status === 401) headers.push('WWW-Authenticate', wwwAuthenticate);
  if (status === 405) headers.push('Allow', allowedMethods);
  return headers;
}

function commonLines({ requestId, verdict, isSecure }: WriteContext): string {
  let lines = `${headerNames.requestId}: ${requestId}\r\nX-Content-Type-Options: nosniff\r\n`;
  if (verdict !== undefined) {
    const { limit, remaining, resetSeconds } = verdict;
    lines += `${headerNames.rateLimitLimit}: ${limit}\r\n${headerNames.rateLimitRemaining}: ${remaining}\r\n`;
    lines += `${headerNames.rateLimitReset}: ${resetSeconds}\r\n`;
  }
  return isSecure ? `${lines}Strict-Transport-Security: max-age=31536000\r\n` : lines;
}

function write(reply: WritableReply, status: number, lines: string, text: string, context: WriteContext): Written {
  const bytes = Buffer.byteLength(text);
  send(reply, status, `${lines}Content-Length: ${bytes}\r\n`, text, 'utf8', context);
  return { status, bytes };
}

/** A member of Node's own that no type names: a head that is there already is written as it is. */
type HeadedResponse = { -readonly [Name in '_header']: string | null };

function send(
  reply: WritableReply,
  status: number,
  own: string,
  body: string | Buffer,
  encoding: 'latin1' | 'utf8',
  context: WriteContext,
): void {
  const lines = commonLines(context) + own;
  if (reply instanceof DirectReply) {
    reply.end(headOf(status, lines, context), body, encoding, context.closes);
    return;
  }
  writeHead(reply, status, lines, context);
  if (typeof body === 'string') reply.end(body, encoding);
  else reply.end(body);
}

/**
 * Sets the head of an answer. Where the connection stays open it is joined here, as Node's `writeHead` would: what it
 * holds is the service's own, and checking each character of it again takes an eighth of a request's time.
 */
function writeHead(response: ServerResponse, status: number, lines: string, context: WriteContext): void {
  const { closes } = context;
  if (closes || !response.shouldKeepAlive) {
    const headers = [...lines.matchAll(/(.*?): (.*)\r\n/g)].flatMap(([, name, value]) => [name!, value!]);
    response.writeHead(status, closes ? [...headers, 'Connection', 'close'] : headers);
    return;
  }
  response.statusCode = status;
  (response as unknown as HeadedResponse)._header = headOf(status, lines, context);
}

function headOf(status: number, lines: string, { closes, keepAliveSeconds, now }: WriteContext): string {
  const connection = closes ? 'close' : `keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}`;
  return `${statusLine(status)}${lines}Date: ${httpDate(now)}\r\nConnection: ${connection}\r\n\r\n`;
}

/** Joins the status line and headers, names and values in turn, each line with its end (RFC 9112 §2.1). */
export function headText(status: number, headers: readonly string[]): string {
  return statusLine(status) + headLines(headers);
}

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
}

/** Names and values in turn, as lines. Throws on a value that would be a line of its own. */
function headLines(headers: readonly string[]): string {
  let text = '';
  for (let at = 0; at < headers.length; at += 2) {
    if (/[\r\n]/.test(headers[at + 1]!)) throw new TypeError(`the header ${headers[at]} has a line break`);
    text += `${headers[at]}: ${headers[at + 1]}\r\n`;
  }
  return text;
}

let dateSecond: number | undefined;
let dateText = '';

/** An instant as RFC 9110 §5.6.7 writes it; the last one is kept, for it holds for all answers of its second. */
function httpDate(now: EpochMs): string {
  const second = Math.floor(now / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(now).toUTCString();
  }
  return dateText;
}
