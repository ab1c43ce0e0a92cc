import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { documentSchemas } from '../../src/contract/document-schemas.testing.ts';
import type { OpenApiDocument } from '../../src/contract/openapi.ts';
import { managementDocument } from '../../src/management/document.ts';
import { operations } from '../../src/management/operations.ts';

const document = managementDocument(operations);
const check = documentSchemas(document as unknown as OpenApiDocument, 'asServer');

/** An answer of the management API, checked against its document. */
export interface ManagementAnswer<Body = Readonly<Record<string, never>>> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

export interface Asking {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, in place of `body`. */
  readonly raw?: string;
}

/** Asks the management API over real sockets. Every answer has to be one that the document describes. */
export class ManagementClient {
  readonly #url: string;
  /** Sent with every request. */
  readonly headers: Record<string, string>;

  constructor(adminUrl: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = adminUrl;
    this.headers = { ...headers };
  }

  static withToken(adminUrl: string, token: string): ManagementClient {
    return new ManagementClient(adminUrl, { authorization: `Bearer ${token}` });
  }

  get<Body = Record<string, never>>(path: string, asking: Asking = {}): Promise<ManagementAnswer<Body>> {
    return this.ask<Body>('GET', path, asking);
  }

  post<Body = Record<string, never>>(
    path: string,
    body?: unknown,
    asking: Asking = {},
  ): Promise<ManagementAnswer<Body>> {
    return this.ask<Body>('POST', path, { ...asking, body });
  }

  async ask<Body = Record<string, never>>(
    method: string,
    path: string,
    { body, raw, headers }: Asking = {},
  ): Promise<ManagementAnswer<Body>> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const own = payload === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await exchange(this.#url + path, method, { ...own, ...this.headers, ...headers }, payload);
    const parsed = answer.text === '' ? undefined : (JSON.parse(answer.text) as Body);
    assertDocumented(method, path, { ...answer, body: parsed });
    return { status: answer.status, headers: answer.headers, body: parsed as Body };
  }
}

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function exchange(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  payload: string | undefined,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) };
    const asked = request(url, { method, headers: { ...length, ...headers }, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      const isEndless = response.headers['content-type'] === 'text/event-stream';
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (isEndless) response.destroy();
      });
      if (isEndless) {
        const text = () => JSON.stringify(Buffer.concat(chunks).toString());
        response.once('close', () =>
          resolve({ status: response.statusCode!, headers: response.headers, text: text() }),
        );
        return;
      }
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    asked.once('error', reject);
    asked.end(payload);
  });
}

interface ResponseObject {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
}

/**
 * The status is documented for the operation, every documented header is there, and the body is exactly as described.
 */
function assertDocumented(method: string, path: string, answer: RawAnswer & { readonly body: unknown }): void {
  const where = `${method} ${path} ${answer.status}`;
  assert.match(String(answer.headers['x-request-id']), /^[\w-]{16,64}$/, where);
  assert.equal(answer.headers['cache-control'], 'no-store', where);
  assert.equal(answer.headers['x-content-type-options'], 'nosniff', where);
  if (answer.status >= 400) {
    assert.equal(answer.headers['content-type'], 'application/problem+json', where);
    assert.deepEqual(check({ $ref: '#/components/schemas/Problem' }, answer.body), [], where);
    const { status, requestId } = answer.body as { status: number; requestId: string };
    assert.deepEqual([status, requestId], [answer.status, answer.headers['x-request-id']], where);
  }
  const response = responseOf(method, path, answer.status);
  if (response === undefined) {
    assert.ok([404, 405, 421].includes(answer.status), `${where} is not in the document: ${answer.text}`);
    return;
  }
  for (const name of Object.keys(response.headers ?? {}))
    assert.ok(answer.headers[name.toLowerCase()], `${where} ${name}`);
  if (response.content === undefined) {
    assert.equal(answer.text, '', where);
    return;
  }
  const [[contentType, { schema }] = assert.fail(where)] = Object.entries(response.content);
  assert.equal(answer.headers['content-type'], contentType, where);
  assert.deepEqual(check(schema, answer.body), [], `${where}: ${answer.text.slice(0, 400)}`);
}

function responseOf(method: string, path: string, status: number): ResponseObject | undefined {
  const [plain = ''] = path.split('?');
  const operation = operations.find(
    (one) => one.method === method && new RegExp(`^${one.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(plain),
  );
  if (operation === undefined) return undefined;
  const item = document.paths[operation.path.replaceAll(/:(\w+)/g, '{$1}')] as Record<
    string,
    { readonly responses: Readonly<Record<string, ResponseObject>> }
  >;
  const response = item[method.toLowerCase()]?.responses[status];
  if (response?.$ref === undefined) return response;
  const { responses } = document.components as { readonly responses: Readonly<Record<string, ResponseObject>> };
  return responses[response.$ref.split('/').at(-1)!];
}
