import type { ErrorCode, Problem } from './contract.ts';

/** The base of every failure of this client. None of them contains the API key. */
export abstract class MarketDataFailure extends Error {
  /** Path and query of the request. */
  readonly path: string;
  /** The shortest time to wait before the next request, when the server or the limit demands one. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request can succeed later. */
  abstract readonly retryable: boolean;

  constructor(message: string, path: string, retryAfterMs?: number) {
    super(message);
    this.path = path;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The API answered with an error. Branch on `code` or the class; for a code you do not know, on `status`. */
export class ApiProblem extends MarketDataFailure {
  override readonly name: string = 'ApiProblem';
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  /** Explains this occurrence to people. The text can change at any time. */
  readonly detail: string;
  /** Quote it when you contact the operator. */
  readonly requestId: string;
  /** Address of a page about the error. */
  readonly type: string;
  readonly retryable: boolean;

  constructor(problem: Problem, path: string, retryAfterMs: number | undefined) {
    super(`${problem.status} ${problem.code}: ${problem.detail} (request ${problem.requestId})`, path, retryAfterMs);
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    this.detail = problem.detail;
    this.requestId = problem.requestId;
    this.type = problem.type;
    this.retryable = isRetryableStatus(problem.status);
  }
}

/** No complete answer: name resolution, connection or TLS failed, or the answer was cut off. */
export class TransportFailure extends MarketDataFailure {
  override readonly name = 'TransportFailure';
  readonly retryable = true;

  constructor(path: string, reason: string) {
    super(`no answer to ${path}: ${reason}`, path);
  }
}

/** An attempt timed out, or the call's deadline left no time for another wait. */
export class TimeoutFailure extends MarketDataFailure {
  override readonly name = 'TimeoutFailure';
  readonly limit: 'attempt' | 'deadline';

  constructor(path: string, limit: 'attempt' | 'deadline', message: string, retryAfterMs?: number) {
    super(message, path, retryAfterMs);
    this.limit = limit;
  }

  get retryable(): boolean {
    return this.limit === 'attempt';
  }
}

/** An answer that the contract does not describe: another server, a proxy's page, a broken body. */
export class MalformedAnswer extends MarketDataFailure {
  override readonly name = 'MalformedAnswer';
  /** 0 where the platform does not report it. */
  readonly status: number;
  readonly retryable: boolean;

  constructor(path: string, status: number, fault: string, retryAfterMs?: number) {
    super(`unusable answer ${status} to ${path}: ${fault}`, path, retryAfterMs);
    this.status = status;
    this.retryable = isRetryableStatus(status);
  }
}

/** Whether a later attempt is safe and can help: every request is a GET, so only the status matters. */
function isRetryableStatus(status: number): boolean {
  return [408, 429, 500, 502, 503, 504].includes(status);
}

/**
 * What a fetch function threw, with its causes, in one line. The error itself can contain the request, so it is not
 * kept.
 */
export function reasonOf(error: unknown): string {
  const parts: string[] = [];
  for (let cause = error, depth = 0; cause !== undefined && depth < 4; depth++) {
    const { message, code, cause: deeper } = Object(cause) as { message?: unknown; code?: unknown; cause?: unknown };
    const text = [code, message].filter((part) => typeof part === 'string' && part !== '').join(' ');
    parts.push(text === '' ? 'unknown failure' : text);
    cause = deeper;
  }
  return parts.join(': ');
}

/** The text with every occurrence of the secret replaced. */
export function redacted(text: string, secret: string): string {
  return text.replaceAll(secret, '[key]');
}
