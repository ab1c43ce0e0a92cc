import { createServer, type Server } from 'node:http';
import type { OpenApiDocument } from '../../src/contract/openapi.ts';
import type { Header, Response } from '../../src/contract/openapi-responses.ts';
import { transportResponse } from './response-validator.ts';

/** A response as the document shows it: the example of every header, and one of the body. */
export interface ExampleResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Makes the example of an operation's response; to HEAD it has no body. `choice` is the code of an error or the symbol
 * of a ticker.
 */
export function exampleResponse(
  document: OpenApiDocument,
  path: string,
  method: 'get' | 'head',
  status: number,
  choice?: string,
): ExampleResponse {
  const documented = document.paths[path]?.get.responses[status] ?? transportResponse(document, status);
  if (documented === undefined) throw new Error(`not documented: ${method} ${path} ${status}`);
  const response = '$ref' in documented ? resolve(document, documented.$ref) : documented;
  const example = exampleOf(document, response, status, choice);
  return method === 'head' ? { ...example, body: '' } : example;
}

/** The same for a response by itself. */
export function exampleOf(
  document: OpenApiDocument,
  response: Response,
  status: number,
  choice?: string,
): ExampleResponse {
  const headers: Record<string, string> = {};
  for (const [name, header] of Object.entries(response.headers)) {
    const { example } = '$ref' in header ? resolve<Header>(document, header.$ref) : header;
    if (name !== 'Content-Encoding') headers[name] = String(example);
  }
  if (status === 429) headers['X-RateLimit-Remaining'] = '0';
  const [mediaType, content] = Object.entries(response.content ?? {})[0] ?? [];
  if (mediaType === undefined || content === undefined) return { status, headers, body: '' };
  const values = Object.values(content.examples).map(({ value }) => value as { code?: string; symbol?: string });
  const isChosen = ({ code, symbol }: { code?: string; symbol?: string }) => choice === (code ?? symbol);
  const value = choice === undefined ? values[0] : values.find(isChosen);
  return { status, headers: { ...headers, 'Content-Type': mediaType }, body: JSON.stringify(value) };
}

function resolve<Target = Response>(document: OpenApiDocument, reference: string): Target {
  const [, , kind, name] = reference.split('/') as [string, string, 'headers' | 'responses', string];
  return document.components[kind][name] as Target;
}

/** A server that answers as the examples of the document do: what a generated client can be tried on. */
export function createExampleServer(document: OpenApiDocument): Server {
  return createServer((request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    const { status, choice } = outcome(url, request.headers['x-exchange-apikey']);
    const answer = exampleResponse(document, url.pathname, request.method === 'HEAD' ? 'head' : 'get', status, choice);
    response.writeHead(status, { ...answer.headers, Connection: 'close' }).end(answer.body);
  });
}

function outcome({ pathname, searchParams }: URL, key: unknown): { status: number; choice?: string } {
  if (pathname.startsWith('/v1/') && key === undefined) return { status: 401, choice: 'MISSING_API_KEY' };
  const symbol = searchParams.get('symbol');
  if (symbol === null) return { status: 200 };
  return ['BTCEUR', 'BTCCZK'].includes(symbol) ? { status: 200, choice: symbol } : { status: 404 };
}
