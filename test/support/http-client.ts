import { connect, type Socket } from 'node:net';

/** An answer as it stood on the wire. */
export interface WireResponse {
  readonly status: number;
  /** Names in lower case; several lines of one name joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What a raw connection gave before it ended. */
export interface WireResult {
  readonly responses: readonly WireResponse[];
  /** Bytes after the last whole response. */
  readonly rest: Buffer;
}

/** Opens a connection to a listener on this machine. */
export function openSocket(port: number, localAddress?: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ...(localAddress === undefined ? {} : { localAddress }) });
    socket.setNoDelay(true);
    socket.once('connect', () => {
      socket.removeListener('error', reject);
      socket.on('error', () => {});
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Writes bytes as they are, reads until the server closes, and splits what came into responses. */
export async function exchange(
  port: number,
  bytes: string | Buffer,
  methods: readonly string[] = [],
): Promise<WireResult> {
  const socket = await openSocket(port);
  const ended = readToEnd(socket);
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  return splitResponses(await ended, methods);
}

/** Everything a peer sends until it closes, or cuts, the connection. */
export function readToEnd(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => socket.once('close', () => resolve(Buffer.concat(chunks))));
}

/**
 * Splits bytes into responses. `methods` names the requests' methods in order where one is not GET: HEAD has no body.
 */
export function splitResponses(bytes: Buffer, methods: readonly string[] = []): WireResult {
  const responses: WireResponse[] = [];
  let rest: Buffer = bytes as Buffer;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return { responses, rest };
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = readHeaders(lines);
    const status = Number(statusLine.split(' ')[1]);
    const hasBody = methods[responses.length] !== 'HEAD' && status !== 304;
    const length = hasBody ? Number(headers['content-length'] ?? 0) : 0;
    if (rest.length < end + 4 + length) return { responses, rest };
    responses.push({ status, headers, body: rest.subarray(end + 4, end + 4 + length) });
    rest = rest.subarray(end + 4 + length);
  }
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}
