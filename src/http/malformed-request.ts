import { type IncomingMessage, METHODS } from 'node:http';
import type { Socket } from 'node:net';
import { errorTable, problemBody } from '../contract/errors.ts';
import { headerNames, ifNoneMatchLengthMax } from '../contract/limits.ts';
import { methodNotAllowed, type ProblemAnswer, problem } from './answer.ts';
import { headText, problemHeaders } from './response-writer.ts';

/** Finds what is wrong with a parsed request as HTTP; `undefined` when nothing. */
export function findHttpFault({
  httpVersionMajor,
  httpVersionMinor,
  headers,
}: Pick<IncomingMessage, 'httpVersionMajor' | 'httpVersionMinor' | 'headers'>): ProblemAnswer | undefined {
  if (httpVersionMajor !== 1) return problem('BAD_REQUEST', 'The HTTP version is not 1.0 or 1.1.');
  if ((headers['if-none-match']?.length ?? 0) > ifNoneMatchLengthMax)
    return problem('REQUEST_HEADER_FIELDS_TOO_LARGE', 'The If-None-Match header is longer than accepted.');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && !/(?:^|,)[ \t]*chunked$/i.test(coding)) {
    return problem('BAD_REQUEST', 'The Transfer-Encoding does not end in chunked.');
  }
  const { host } = headers;
  if (host === undefined) {
    return httpVersionMinor === 0 ? undefined : problem('BAD_REQUEST', 'The Host header is missing.');
  }
  if (host.includes(',')) return problem('BAD_REQUEST', 'The Host header is given more than once.');
  if (!hostForm.test(host)) return problem('BAD_REQUEST', 'The Host header is not a host.');
  return undefined;
}

/** A host and a port, or nothing, where the client has no name for us (RFC 9112 §3.2, RFC 3986 §3.2.2). */
const hostForm = /^(?:[\w.~!$&'()*+;=%-]*|\[[\dA-Fa-f:.]+\])(?::\d{0,5})?$/;

/** The parser's error for bytes that it could not parse. */
export interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

/** The answer to bytes that could not be parsed. */
export function parserProblem({ code, rawPacket }: ParserError): ProblemAnswer {
  switch (code) {
    case 'HPE_INVALID_METHOD':
      return isOfUnknownMethod(rawPacket) ? methodNotAllowed : malformed;
    case 'HPE_HEADER_OVERFLOW':
      return problem('REQUEST_HEADER_FIELDS_TOO_LARGE', 'The request line and headers are larger than accepted.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problem('REQUEST_TIMEOUT', 'The request was not received completely in time.');
    default:
      return malformed;
  }
}

const malformed = problem('BAD_REQUEST', 'The request is not well-formed HTTP.');

/** Longer than the request line of any address that a client is given. */
const requestLineMax = 4_096;

/** The request line of RFC 9112 §3, with a target that is a path. */
const requestLine = /^([!#$%&'*+.^_`|~\w-]+) \/[!-~]* HTTP\/1\.[01]\r\n/;

/** Whether these bytes begin a request that is well-formed but for a method the parser does not know. */
function isOfUnknownMethod(bytes: Buffer | undefined): boolean {
  const method = requestLine.exec(bytes?.toString('latin1', 0, requestLineMax) ?? '')?.[1];
  return method !== undefined && !METHODS.includes(method);
}

/** Writes a problem on a connection whose parser failed: there is no response object, and the connection ends. */
export function writeRawProblem(socket: Socket, answer: ProblemAnswer, requestId: string, errorsUrl: string): void {
  const { status } = errorTable[answer.code];
  const body = problemBody({ code: answer.code, detail: answer.detail, requestId, errorsUrl });
  const headers = [
    ...problemHeaders(answer),
    headerNames.requestId,
    requestId,
    'X-Content-Type-Options',
    'nosniff',
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Connection',
    'close',
  ];
  socket.end(`${headText(status, headers)}\r\n${body}`, () => socket.destroy());
}
