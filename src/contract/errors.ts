import { errorTable } from './error-table.ts';

export { errorTable };

/** Every code an Error of this service can carry. */
export type ErrorCode = keyof typeof errorTable;

/** All codes, in the order of the table. */
export const errorCodes = Object.keys(errorTable) as readonly ErrorCode[];

/** The code an error page's name stands for; `undefined` when no error has that name. */
export function errorCodeOfSlug(slug: string): ErrorCode | undefined {
  return codeOfSlug.get(slug);
}

const codeOfSlug: ReadonlyMap<string, ErrorCode> = new Map(errorCodes.map((code) => [errorTable[code].slug, code]));

/** The absolute URI of an error's description. `errorsUrl` is absolute and has no trailing slash. */
export function errorType(errorsUrl: string, code: ErrorCode): string {
  return `${errorsUrl}/${errorTable[code].slug}`;
}

/** What differs from one problem to the next. */
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
 * The body of an `application/problem+json` response: exactly the six members of the contract's
 * Error, in its order (RFC 9457, extended by `code` and `requestId`). Everything up to `detail` is
 * prepared at the first use of an `errorsUrl`.
 */
export function problemBody({ code, detail, requestId, errorsUrl }: Problem): string {
  const prefixes = preparedPrefixes.get(errorsUrl) ?? preparePrefixes(errorsUrl);
  return `${prefixes[code] + JSON.stringify(detail)},"requestId":${JSON.stringify(requestId)}}`;
}

/** Keyed by `errorsUrl`. That one comes from the configuration, so a process holds a single entry. */
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
