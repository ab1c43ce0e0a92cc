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

type ErrorRows = Readonly<Record<string, ErrorEntry>>;

/** The contract's own rows ("Errors"), with titles for the three that it leaves open. */
const contract = {
  INVALID_PARAMETER: {
    status: 400,
    title: 'Invalid parameter',
    cause: 'A query parameter is missing, malformed, out of range, or given more than once.',
    action: 'Read which parameters the detail names, correct them, and send the request again.',
    retry: 'No. The same request fails again until its parameters are corrected.',
    exampleDetail: 'The parameter "symbol" is missing.',
  },
  MISSING_API_KEY: {
    status: 401,
    title: 'Missing API key',
    cause: 'The request has no X-EXCHANGE-APIKEY header.',
    action:
      'Send your API key verbatim in the X-EXCHANGE-APIKEY header, without a prefix. You create keys in the client application, under profile and security, on the API keys tab.',
    retry: 'No. Send the header. Requests without a key count against a small limit per address.',
    exampleDetail: 'The X-EXCHANGE-APIKEY header is missing.',
  },
  INVALID_API_KEY: {
    status: 401,
    title: 'Invalid API key',
    cause:
      'The key in the X-EXCHANGE-APIKEY header cannot be used: its value is wrong, it is disabled, revoked or expired, or the account behind it is not active. The answer is the same in every case, so that strangers learn nothing from it.',
    action:
      'Check that the value is complete and sent once, without quotes, spaces or a prefix. Then check the state of the key and of the account in the client application.',
    retry: 'No. Use a valid key. Refused keys count against a small limit per address.',
    exampleDetail: 'The API key cannot be used. Check its value, its status and the account.',
  },
  UNKNOWN_SYMBOL: {
    status: 404,
    title: 'Unknown symbol',
    cause: 'The symbol was never listed, or its market has been delisted.',
    action: 'Take symbols from GET /v1/markets, from markets whose status is not delisted.',
    retry: 'No. A delisted market does not come back.',
    exampleDetail: 'No traded market has this symbol. GET /v1/markets lists all markets.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    cause: 'Nothing exists at the path of the request.',
    action: 'Check the path. Paths match exactly, including case and trailing slashes.',
    retry: 'No. The path does not exist.',
    exampleDetail: 'Nothing exists at this path.',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    title: 'Rate limit exceeded',
    cause:
      'There were more requests than allowed in the current minute: from one API key, from one address without a key, or from one address with failed authentication.',
    action:
      'Wait as many seconds as the Retry-After header says, then continue. Poll GET /v1/tickers once rather than GET /v1/ticker for each market. The X-RateLimit headers of every answer show how much is left.',
    retry: 'Yes, after Retry-After seconds: the limit resets at the next full minute.',
    exampleDetail: 'API key: the limit of 60 requests per minute is used up.',
  },
  MARKET_DATA_UNAVAILABLE: {
    status: 503,
    title: 'Market data unavailable',
    cause:
      'The price feed delivers no data, the market is traded but has no price at the moment, or the market is quoted in CZK and the CZK/EUR rate is not available.',
    action: 'Wait as many seconds as the Retry-After header says. GET /v1/status shows the state of the feed.',
    retry: 'Yes, after Retry-After seconds: prices return as soon as the data does.',
    exampleDetail: 'Market data is not available at the moment.',
  },
  SERVICE_MAINTENANCE: {
    status: 503,
    title: 'Service maintenance',
    cause: 'An announced maintenance window is running.',
    action:
      'Wait as many seconds as the Retry-After header says. GET /v1/status keeps answering and shows the expected end.',
    retry: 'Yes, after Retry-After seconds, or once GET /v1/status no longer reports maintenance.',
    exampleDetail: 'Planned maintenance is running. GET /v1/status shows its expected end.',
  },
} satisfies ErrorRows;

/** Further errors, in the same shape, for what the contract's table cannot express. */
const further = {
  BAD_REQUEST: {
    status: 400,
    title: 'Bad request',
    cause:
      'The request is not HTTP that the server can accept: a malformed request line or header, contradictory lengths, a path with broken percent-encoding, or a body that is too large.',
    action: 'Send the request with a standard HTTP client, without a body, and encode the path and query correctly.',
    retry: 'No. The same bytes are refused again.',
    exampleDetail: 'The request is not well-formed HTTP.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    cause: 'The path exists, but not for this HTTP method. Every resource is read only.',
    action: 'Use GET, or HEAD for the headers alone. The Allow header lists the methods.',
    retry: 'No. Use another method.',
    exampleDetail: 'This resource answers GET and HEAD only.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'Request timeout',
    cause: 'The request was not complete within the time the server waits for one. The connection is closed.',
    action: 'Open a new connection and send the whole request at once.',
    retry: 'Yes, on a new connection, at once.',
    exampleDetail: 'The request was not received completely in time.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    title: 'Expectation failed',
    cause: 'The request carries an Expect header that asks for something the server does not support.',
    action: 'Leave the Expect header out.',
    retry: 'No. The same header is refused again.',
    exampleDetail: 'The Expect header cannot be satisfied.',
  },
  REQUEST_HEADER_FIELDS_TOO_LARGE: {
    status: 431,
    title: 'Request header fields too large',
    cause: 'The request line and headers together are larger, or the headers more numerous, than the server accepts.',
    action: 'Send fewer or shorter headers, and a shorter address.',
    retry: 'No. The same headers are refused again.',
    exampleDetail: 'The request line and headers are too large.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    cause: 'The server has a fault. The operator finds the reason in the log, under the request id.',
    action: 'Send the request again a little later. If it keeps failing, tell the operator the requestId.',
    retry: 'Often. Wait a few seconds, and longer after each failure.',
    exampleDetail: 'The request could not be answered because of an internal error.',
  },
  SERVICE_OVERLOADED: {
    status: 503,
    title: 'Service overloaded',
    cause:
      'The server has more requests than it can answer in time, or no memory left for more. It refuses requests that need no key first, then keys on new connections. A refused request counts against no limit.',
    action:
      'Wait as many seconds as the Retry-After header says, and keep the connection open between requests. GET /v1/status and GET /v1/time keep answering.',
    retry: 'Yes, after Retry-After seconds, and longer after each refusal.',
    exampleDetail:
      'The service is overloaded and did not count this request. GET /v1/status and GET /v1/time keep answering.',
  },
} satisfies ErrorRows;

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
 * The body of an `application/problem+json` response: exactly the six members of the contract's Error, in its order
 * (RFC 9457, extended by `code` and `requestId`). Everything up to `detail` is prepared at the first use of an
 * `errorsUrl`.
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
