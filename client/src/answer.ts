import type { LimitFigures } from './budget.ts';
import type { ResponseDetails } from './call.ts';
import { headerNames, limitWindowMs } from './contract.ts';
import { MalformedAnswer, TransportFailure } from './failures.ts';
import { problemFailure } from './problems.ts';
import { readProblem, ShapeError } from './shapes.ts';
import type { Answer } from './wire.ts';

/** The limit figures of an answer; undefined when it has none, or those of another counter than the key's. */
export function figuresOf(answer: Answer): LimitFigures | undefined {
  // A refusal may come from the limit of failed authentication, and a 401 always does.
  if (answer.status === 401 || answer.status === 429) return undefined;
  const limit = wholeNumber(answer.header(headerNames.limit));
  const remaining = wholeNumber(answer.header(headerNames.remaining));
  const reset = wholeNumber(answer.header(headerNames.reset));
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, resetMs: reset * 1000 };
}

/**
 * `Retry-After` in milliseconds: whole seconds as in the contract, or a date, which a proxy can send (RFC 9110
 * §10.2.3). Without it a 429 lasts to the end of the window that the limit headers name.
 */
export function retryAfterMsOf(answer: Answer, serverNowMs: number): number | undefined {
  const written = answer.header(headerNames.retryAfter);
  const seconds = wholeNumber(written);
  if (seconds !== undefined) return seconds * 1000;
  const instantMs = Date.parse(written ?? '');
  if (!Number.isNaN(instantMs)) return Math.max(0, instantMs - serverNowMs);
  const reset = answer.status === 429 ? wholeNumber(answer.header(headerNames.reset)) : undefined;
  return reset === undefined ? undefined : Math.min(limitWindowMs, Math.max(0, reset * 1000 - serverNowMs));
}

/** What the caller can see of an answer beside its body. */
export function detailsOf({ status, headers, header }: Answer): ResponseDetails {
  return { status, headers, requestId: header(headerNames.requestId) };
}

/** The failure for an answer that is neither 200 nor an expected 304. */
export function failureOf(answer: Answer, path: string, retryAfterMs: number | undefined, redact: Redact) {
  const { status } = answer;
  if (status === 0 || (status >= 300 && status < 400)) {
    return new MalformedAnswer(path, status, 'a redirect, which is not followed', retryAfterMs);
  }
  try {
    const { type, title, code, detail, requestId } = readProblem(JSON.parse(answer.text));
    const problem = { type, title: redact(title), status, code: redact(code), detail: redact(detail), requestId };
    return problemFailure(problem, path, retryAfterMs);
  } catch {
    return new MalformedAnswer(path, status, 'not a problem of this API', retryAfterMs);
  }
}

/** Removes the key from text that the server wrote. */
export type Redact = (text: string) => string;

/** The body of a 200, frozen. Throws `MalformedAnswer`, or `TransportFailure` for one that was cut off on its way. */
export function frozenBody<T>(answer: Answer, path: string, read: (body: unknown) => T): T {
  try {
    return deepFreeze(read(JSON.parse(answer.text)));
  } catch (error) {
    if (error instanceof ShapeError) throw new MalformedAnswer(path, answer.status, error.message);
    // Behind a proxy that drops the length, nothing else tells a broken connection from an end.
    if (/^\s*($|\{)/.test(answer.text)) throw new TransportFailure(path, 'the answer was cut off');
    throw new MalformedAnswer(path, answer.status, 'not JSON');
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}
