import type { ServerResponse } from 'node:http';
import type { LimitDecision } from '../access/limit-decision.ts';
import type { Representation } from '../board/page.ts';
import { errorTable, problemBody } from '../contract/errors.ts';
import { allowedMethods, headerNames, wwwAuthenticate } from '../contract/limits.ts';
import type { Answer, PageAnswer, ProblemAnswer } from './answer.ts';
import { chooseEncoding, matchesEntityTag } from './negotiation.ts';

/** The parts of a request that decide how its answer is written. */
export interface WriteContext {
  readonly requestId: string;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** The connection ends after this answer. */
  readonly closes: boolean;
  /** How long the connection is promised to stay open, where that is not the listener's own time. */
  readonly keepAliveSeconds: number | undefined;
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
export function writeAnswer(response: ServerResponse, answer: Answer, context: WriteContext): Written {
  switch (answer.kind) {
    case 'page':
      return writePage(response, answer, context);
    case 'text': {
      const headers = commonHeaders(context);
      headers.push('Content-Type', answer.contentType, 'Cache-Control', 'no-store', ...answer.extraHeaders);
      return write(response, answer.status ?? 200, headers, answer.text);
    }
    case 'redirect': {
      const headers = commonHeaders(context);
      headers.push('Location', answer.location, 'Cache-Control', 'public, max-age=300');
      return write(response, 308, headers, '');
    }
    default:
      // Not a third case: what is no answer at all must throw here and not leave its client waiting.
      return writeProblem(response, answer, context);
  }
}

function writePage(response: ServerResponse, answer: PageAnswer, context: WriteContext): Written {
  const { page, extraHeaders } = answer;
  const encoding = chooseEncoding(context.acceptEncoding);
  const entityTag = page.entityTag(encoding);
  const headers = commonHeaders(context);
  headers.push('Cache-Control', answer.cacheControl, 'ETag', entityTag, 'Vary', answer.vary);
  if (extraHeaders.length > 0) headers.push(...extraHeaders);
  if (matchesEntityTag(context.ifNoneMatch, entityTag)) {
    response.writeHead(304, headers).end();
    return { status: 304, bytes: 0 };
  }
  headers.push('Content-Type', answer.contentType);
  return writeRepresentation(response, headers, page.as(encoding));
}

function writeRepresentation(response: ServerResponse, headers: string[], representation: Representation): Written {
  const { body, encoding, byteLength } = representation;
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  headers.push('Content-Length', String(byteLength));
  response.writeHead(200, headers);
  if (typeof body === 'string') response.end(body, 'latin1');
  else response.end(body);
  return { status: 200, bytes: byteLength };
}

function writeProblem(response: ServerResponse, answer: ProblemAnswer, context: WriteContext): Written {
  const headers = commonHeaders(context);
  headers.push(...problemHeaders(answer));
  const { code, detail } = answer;
  const body = problemBody({ code, detail, requestId: context.requestId, errorsUrl: context.errorsUrl });
  return write(response, errorTable[code].status, headers, body);
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

function commonHeaders({ requestId, verdict, closes, keepAliveSeconds, isSecure }: WriteContext): string[] {
  const headers = [headerNames.requestId, requestId, 'X-Content-Type-Options', 'nosniff'];
  if (verdict !== undefined) {
    headers.push(
      headerNames.rateLimitLimit,
      String(verdict.limit),
      headerNames.rateLimitRemaining,
      String(verdict.remaining),
      headerNames.rateLimitReset,
      String(verdict.resetSeconds),
    );
  }
  if (isSecure) headers.push('Strict-Transport-Security', 'max-age=31536000');
  if (closes) headers.push('Connection', 'close');
  else if (keepAliveSeconds !== undefined) {
    headers.push('Connection', 'keep-alive', 'Keep-Alive', `timeout=${keepAliveSeconds}`);
  }
  return headers;
}

function write(response: ServerResponse, status: number, headers: string[], text: string): Written {
  const bytes = Buffer.byteLength(text);
  headers.push('Content-Length', String(bytes));
  response.writeHead(status, headers).end(text);
  return { status, bytes };
}
