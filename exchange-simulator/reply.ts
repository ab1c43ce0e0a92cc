import type { ServerResponse } from 'node:http';

/** One HTTP answer, before it is written. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly retryAfterS?: number;
}

/** Refuses a request; the dialect formats the answer. */
export class Refusal extends Error {}

export function json(body: string | Buffer): Reply {
  return { status: 200, contentType: 'application/json', body };
}

export function text(status: number, body: string): Reply {
  return { status, contentType: 'text/plain', body };
}

/** Writes the whole answer. */
export function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, headersOf(reply));
  response.end(reply.body);
}

/** Announces the length of the whole body, sends half of it, then drops the connection. */
export function sendHalf(response: ServerResponse, reply: Reply): void {
  const bytes = Buffer.from(reply.body);
  response.writeHead(reply.status, headersOf(reply));
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

function headersOf({ contentType, body, retryAfterS }: Reply): Record<string, string | number> {
  const headers = { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body) };
  return retryAfterS === undefined ? headers : { ...headers, 'Retry-After': retryAfterS };
}
