import fc from 'fast-check';
import type { OpenApiDocument } from '../../src/contract/openapi.ts';
import type { Parameter } from '../../src/contract/openapi-resources.ts';

/** How a request says who it is. */
export type KeyChoice =
  | { readonly kind: 'valid' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'bad'; readonly text: string };

/** A request as generated from the document. */
export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  /** Name and value as written, still encoded; an undefined value has no equals sign. */
  readonly query: readonly (readonly [name: string, value: string | undefined])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly key: KeyChoice;
}

const otherMethods = ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND', 'PURGE'];

/**
 * Requests for the operations of the document: their paths and paths near them, their parameters
 * valid and invalid, other methods, other headers, and every way to have or not have a key.
 */
export function requestsOf(document: OpenApiDocument, symbols: readonly string[]): fc.Arbitrary<GeneratedRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, { get }]) => ({
    path,
    parameters: get.parameters,
  }));
  return fc.constantFrom(...operations).chain(({ path, parameters }) =>
    fc.record({
      method: fc.oneof(
        { weight: 8, arbitrary: fc.constant('GET') },
        { weight: 2, arbitrary: fc.constant('HEAD') },
        { weight: 1, arbitrary: fc.constantFrom(...otherMethods) },
      ),
      path: fc.oneof({ weight: 5, arbitrary: fc.constant(path) }, { weight: 1, arbitrary: near(path) }),
      query: queryOf(parameters, symbols),
      headers: headersOf(parameters),
      key,
    }),
  );
}

/** The path with one thing changed. It may happen to be another path of the document. */
function near(path: string): fc.Arbitrary<string> {
  const at = fc.integer({ min: 1, max: Math.max(1, path.length - 1) });
  return fc.oneof(
    fc.constantFrom(
      `${path}/`,
      `/${path}`,
      `${path}//`,
      path.toUpperCase(),
      `${path}.json`,
      `${path};a=b`,
      `/v1${path}`,
    ),
    fc.constantFrom(`${path}%`, `${path}%zz`, `${path}%2F`, `${path}%00`, `${path}/..`, `/x/..${path}`, `/.${path}`),
    at.map((index) => `${path.slice(0, index)}/${path.slice(index)}`.replace(/^([^/])/, '/$1')),
    at.map((index) => `/${path.slice(1, index)}${path.slice(index + 1)}`),
    at.map((index) => {
      const code = path.charCodeAt(index) || 0x2f;
      return `${path.slice(0, index)}%${code.toString(16)}${path.slice(index + 1)}`;
    }),
    fc.stringMatching(/^\/v1\/[!-"$-;=@-~]{0,40}$/),
    fc.stringMatching(/^\/[!-"$-;=@-~]{0,40}$/),
  );
}

const key: fc.Arbitrary<KeyChoice> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({ kind: 'valid' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'absent' } as const) },
  {
    weight: 1,
    arbitrary: fc
      .oneof(
        fc.stringMatching(/^[!-~]{0,60}$/),
        fc.stringMatching(/^mdk_[0-9A-Za-z]{38}$/),
        fc.stringMatching(/^Bearer mdk_\w{38}$/),
      )
      .map((text) => ({ kind: 'bad', text }) as const),
  },
);

function queryOf(
  parameters: readonly Parameter[],
  symbols: readonly string[],
): fc.Arbitrary<GeneratedRequest['query']> {
  const named = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const value = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...symbols).chain(anyCase) },
    { weight: 2, arbitrary: fc.stringMatching(/^[0-9A-Za-z]{0,40}$/) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map(encoded) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '%zz', '%00', '%C4%B0', '%ff', 'BTC%2FEUR', 'BTC+EUR', '[]', '__proto__'),
    },
  );
  const own = named.map((name) =>
    fc.tuple(
      fc.constantFrom(name, name, name, name, name, encodedWhole(name)),
      fc.option(value, { nil: undefined, freq: 9 }),
    ),
  );
  const unknown = fc.tuple(fc.constantFrom('a', 'Symbol', 'symbol[]', '__proto__', 'constructor', '%zz', ''), value);
  const ownPart = own.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...own), { maxLength: 2 });
  const one = own.length === 0 ? fc.constant([]) : fc.tuple(fc.oneof(...own));
  return fc
    .tuple(
      fc.oneof({ weight: 4, arbitrary: one }, { weight: 1, arbitrary: ownPart }),
      fc.array(unknown, { maxLength: 2 }),
    )
    .chain(([mine, others]) => fc.shuffledSubarray([...mine, ...others], { minLength: mine.length + others.length }));
}

function headersOf(parameters: readonly Parameter[]): fc.Arbitrary<Record<string, string>> {
  const printable = fc.stringMatching(/^[!-~]([ -~]{0,60}[!-~])?$/);
  const documented = [...parameters, { name: 'Accept-Encoding', in: 'header', example: 'zstd, br, gzip' }]
    .filter((parameter) => parameter.in === 'header')
    .map(
      ({ name, example }) =>
        [
          name,
          fc.oneof(
            fc.constantFrom(example, '*', 'W/"a"', '"a", "b"', 'gzip', 'br;q=0', '*;q=0', 'zstd, gzip;q=1.000'),
            printable,
          ),
        ] as const,
    );
  const others = [
    'Accept',
    'Range',
    'Origin',
    'Cookie',
    'If-Modified-Since',
    'X-Request-Id',
    'X-Forwarded-For',
    'X-HTTP-Method-Override',
    'X-Original-URL',
    'Accept-Language',
    'Content-Type',
  ];
  const all = Object.fromEntries([
    ...documented,
    ...others.map(
      (name) =>
        [name, fc.oneof(fc.constantFrom('*/*', 'text/html', 'bytes=0-1', 'application/xml'), printable)] as const,
    ),
  ]);
  return fc.record(all, { requiredKeys: [] }).map((headers) => {
    const sent = Object.entries(headers as Record<string, string>).slice(0, 3);
    return Object.fromEntries(sent);
  });
}

function anyCase(text: string): fc.Arbitrary<string> {
  return fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) =>
      [...text].map((letter, index) => (upper[index] ? letter.toUpperCase() : letter.toLowerCase())).join(''),
    );
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function encodedWhole(text: string): string {
  return [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
}
