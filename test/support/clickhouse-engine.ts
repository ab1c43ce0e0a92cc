/**
 * A ClickHouse engine behind its HTTP interface, in a process of its own: `chdb` is that engine as a library without a
 * listener. Queries, formats, parameters, settings and errors are the engine's; listening, decompression and the check
 * of the password are done here, as the server documents them.
 *
 *     node clickhouse-engine.ts NODE_MODULES DATA_DIRECTORY PASSWORD
 *
 * Prints its port once it listens, and each INSERT when it begins.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

interface Session {
  query(text: string, format?: string): string;
}

const [packages = '', directory = '', password = ''] = process.argv.slice(2);
const { Session } = createRequire(join(packages, 'engine.js'))('chdb') as { Session: new (path: string) => Session };
const session = new Session(directory);

/** Parameters of a request that are no settings. */
const ofRequest = new Set([
  'query',
  'query_id',
  'database',
  'wait_end_of_query',
  'enable_http_compression',
  'session_id',
]);
const notFound = new Set(['60', '81']);

function assertUser({ headers }: IncomingMessage): void {
  const given = Buffer.from((headers.authorization ?? '').slice('Basic '.length), 'base64').toString();
  if (given === `mdapi:${password}`) return;
  throw new Error(
    `Code: 516. DB::Exception: mdapi: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`,
  );
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const body = await buffer(request);
  const coding = request.headers['content-encoding'];
  return (coding === 'zstd' ? zstdDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body).toString();
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function answerTo(parameters: URLSearchParams, body: string): string {
  const settings = [...parameters].filter(([name]) => !ofRequest.has(name));
  session.query(`USE ${parameters.get('database') ?? 'default'}`);
  try {
    for (const [name, value] of settings) session.query(`SET ${name} = ${quoted(value)}`);
    const query = [parameters.get('query') ?? '', body].filter(Boolean).join('\n');
    if (query.startsWith('INSERT')) process.stdout.write(`${query.split('\n', 1)[0]}\n`);
    return session.query(query, 'TabSeparated');
  } finally {
    for (const [name] of settings) if (!name.startsWith('param_')) session.query(`SET ${name} = DEFAULT`);
  }
}

const server = createServer((request, response) => {
  void (async () => {
    try {
      assertUser(request);
      const body = await bodyOf(request);
      response.end(answerTo(new URL(request.url!, 'http://engine').searchParams, body));
    } catch (error) {
      const message = (error as Error).message.replace(/^Query failed: /, '');
      const code = /Code: (\d+)/.exec(message)?.[1] ?? '0';
      response.statusCode = code === '516' ? 403 : notFound.has(code) ? 404 : 500;
      response.setHeader('X-ClickHouse-Exception-Code', code);
      response.end(`${message} (version ${session.query('SELECT version()', 'TabSeparated').trim()})\n`);
    }
  })();
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
