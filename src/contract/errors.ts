import rows from './errors.json' with { type: 'json' };

/** One row of the error table. */
interface ErrorEntry {
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** Never changes for a code. */
  readonly title: string;
  /** For the error page: what leads to it. */
  readonly cause: string;
  /** For the error page: what the client should do. */
  readonly action: string;
  /** For the error page: whether a retry can help, and when. */
  readonly retry: string;
  /** A `detail` as a client may see it. */
  readonly exampleDetail: string;
}

/** The contract's own rows ("Errors"), with titles for the three that it leaves open, and further errors in the same shape. */
const { contract, further } = rows satisfies Readonly<
  Record<'contract' | 'further', Readonly<Record<string, ErrorEntry>>>
>;

/** The one error table. A code that is retired is never used again. */
export const errorTable = { ...contract, ...further };

/** Every code an Error of this service can carry. */
export type ErrorCode = keyof typeof errorTable;

/** All codes, in the order of the table. */
export const errorCodes = Object.keys(errorTable) as readonly ErrorCode[];

/**
 * Whether the code is one of the contract's own table. A limit has always counted a request by the time it gets one of
 * these, so they always carry the three rate limit headers.
 */
export function isInContract(code: ErrorCode): boolean {
  return code in contract;
}

/** Whether the same request, sent again later, can succeed without anyone changing it. */
export function isRetryable(code: ErrorCode): boolean {
  const { status } = errorTable[code];
  return status === 408 || status === 429 || status >= 500;
}

/** The kebab-case name of a code: last segment of `type` and of the URL of the error page. */
export function slugOf(code: ErrorCode): string {
  return code.toLowerCase().replaceAll('_', '-');
}

/** The absolute URI of an error's description. `errorsUrl` is absolute and has no trailing slash. */
export function errorType(errorsUrl: string, code: ErrorCode): string {
  return `${errorsUrl}/${slugOf(code)}`;
}

export interface Problem {
  readonly code: ErrorCode;
  /** Written for the client: never a caught error's message, never the bytes a client sent. */
  readonly detail: string;
  /** Equals the `X-Request-Id` header of the same response. */
  readonly requestId: string;
  /** Absolute, without a trailing slash; from the configuration. */
  readonly errorsUrl: string;
}

/**
 * The body of an `application/problem+json` response: exactly the six members of the contract's Error, in its order (RFC 9457, extended by `code` and
 * `requestId`). Everything up to `detail` is prepared at the first use of an `errorsUrl`.
 */
export function problemBody({ code, detail, requestId, errorsUrl }: Problem): string {
  const prefixes = preparedPrefixes.get(errorsUrl) ?? preparePrefixes(errorsUrl);
  return `${prefixes[code] + JSON.stringify(detail)},"requestId":${JSON.stringify(requestId)}}`;
}

/** By `errorsUrl`, which comes from the configuration: a process has one entry. */
const preparedPrefixes = new Map<string, Readonly<Record<ErrorCode, string>>>();

function preparePrefixes(errorsUrl: string): Readonly<Record<ErrorCode, string>> {
  const prefixes = Object.fromEntries(errorCodes.map((code) => [code, prefixOf(errorsUrl, code)]));
  preparedPrefixes.set(errorsUrl, prefixes as Record<ErrorCode, string>);
  return prefixes as Record<ErrorCode, string>;
}

function prefixOf(errorsUrl: string, code: ErrorCode): string {
  const { title, status } = errorTable[code];
  const constant = JSON.stringify({ type: errorType(errorsUrl, code), title, status, code });
  return `${constant.slice(0, -1)},"detail":`;
}
