import type { TObject, TSchema } from 'typebox';
import { exampleOf } from '../contract/schema-parts.ts';
import { ApprovalSchema } from '../operator/approval.ts';
import { isRole, roles, roleTable } from '../operator/role.ts';
import type { ListedOperation, Operation } from './operation.ts';
import { type ProblemCode, ProblemSchema, problemCodes, problemTable, problemType } from './problems.ts';

type Json = Readonly<Record<string, unknown>>;

const info = {
  title: 'Market Data Management API',
  version: '1.0',
  summary: 'Accounts, keys, markets, maintenance, incidents and the audit log of a market data server.',
  contact: {
    name: 'The operator of this service',
    url: 'http://127.0.0.1:9090/console/',
  },
  license: {
    name: 'Apache License 2.0',
    identifier: 'Apache-2.0',
  },
};

/** The parts of the document that operations are in, in its order. */
const tags = {
  Session: 'Sign-in of browsers. Programs send a token with each request instead.',
  Service: 'The state of the service, the feed and the rates.',
  Markets: 'Markets, their prices and how these are derived; pausing and delisting.',
  Prices: 'What clients get, for the operator’s own application.',
  Terms: 'Fee, margin, precision and rounding, from an instant on.',
  Record: 'What was quoted, when, to whom.',
  'Accounts and keys': 'Who may use the public API, how often, and how much they use it.',
  Maintenance: 'Windows in which only `/v1/status` is served.',
  Incidents: 'What people tell of trouble, on the status page and to its subscribers.',
  Notices: 'E-mail to holders of keys.',
  Alerts: 'What operators are told, and where.',
  Approvals: 'Changes that one person proposes and another one confirms.',
  Audit: 'Who changed what, and who may.',
  Description: 'What needs no sign-in: this document and the problems.',
};

export type Tag = keyof typeof tags;

const headers = {
  'X-Request-Id': {
    description: 'Identifies the request, in the log too.',
    schema: {
      type: 'string',
      examples: ['9f2c51d07ab84e6c8d1e7f3a2b4c5d6e'],
    },
  },
  'Cache-Control': {
    description: 'Always `no-store`.',
    schema: {
      type: 'string',
      examples: ['no-store'],
    },
  },
  'Set-Cookie': {
    description: 'The cookie of the session.',
    schema: {
      type: 'string',
      examples: ['mdapi_session=…; Path=/; HttpOnly; SameSite=Strict'],
    },
  },
  'WWW-Authenticate': {
    description: 'How programs sign in.',
    schema: {
      type: 'string',
      examples: ['Bearer realm="management"'],
    },
  },
  'Retry-After': {
    description: 'Seconds to wait.',
    schema: {
      type: 'integer',
      minimum: 1,
      examples: [42],
    },
  },
};

const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'mdo_…',
    description: 'An operator token.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'mdapi_session',
    description: 'The session of a browser.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'The `csrfToken` of the session, with every change.',
  },
};

/** Says what a client must know before the first request, in CommonMark. */
function introduction(): string {
  const rights = Object.entries(roleTable).map(([role, may]) => `\`${role}\` may ${may}`);
  return `The management API of a market data server, on its private listener. Everything an operator does can be done with it, by the
console or by a program of the operator's own.

Programs send an operator token with every request: \`Authorization: Bearer mdo_…\`. Browsers sign in with one and get a session.
Every change is written to the audit log under the name of the token.

A token has a role, and a session that of its token. Each role may also do what those before it may:
${rights.join('; ')}. Each operation says which it needs.

Instants are given twice, as ISO 8601 text in UTC and as milliseconds since the Unix epoch. A missing value is null. Prices, amounts and
rates are decimal strings. Every GET also answers HEAD. No answer may be stored.

Errors are problems (RFC 9457) with a \`code\`. Fields, codes and values of a set can be added within version 1: ignore what you do not
know. In a request, a field that is not known is refused.`;
}

/** The OpenAPI 3.1 document of the management API, from the schemas and the table the router itself uses. */
export function managementDocument(operations: readonly ListedOperation[]) {
  const schemas: Record<string, Json> = {};
  const paths: Record<string, Record<string, Json>> = {};
  const responses: Record<string, Json> = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation, schemas) };
    for (const set of problemSets(operation)) responses[set.name] ??= problemResponse(set);
  }
  written(ProblemSchema, schemas);
  const { title, version, summary, contact, license } = info;
  const codes = new Set(operations.flatMap(codesOf));
  return {
    openapi: '3.1.0',
    info: { title, version, summary, description: introduction(), contact, license },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/', description: 'The private listener that serves this document.' }],
    security: [{ token: [] }, { session: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      headers,
      responses,
      examples: Object.fromEntries(
        problemCodes
          .filter((code) => codes.has(code))
          .map((code) => [code, { summary: problemTable[code].title, value: exampleProblem(code) }]),
      ),
      securitySchemes,
    },
  };
}

/** A schema as the document has it: one with a name is written once, among the components, and referred to. */
function written(value: unknown, schemas: Record<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((each) => written(each, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $id: name, $ref: target, ...rest } = value as { $id?: string; $ref?: object };
  if (target !== undefined) return { ...(written(target, schemas) as Json), ...rest };
  const copy = () => Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, written(part, schemas)]));
  if (name === undefined) return copy();
  schemas[name] ??= copy();
  return { $ref: `#/components/schemas/${name}` };
}

function operationObject(operation: ListedOperation, schemas: Record<string, Json>): Json {
  const { operationId, access, tag, summary, description, params, query, body } = operation;
  const content = (schema: TSchema, type = 'application/json') => ({
    content: { [type]: { schema: written(schema, schemas), example: exampleOf(schema as object) } },
  });
  return {
    operationId,
    tags: [tag],
    summary,
    description: isRole(access) ? `${description} Needs the role \`${access}\`.` : description,
    security: securityOf(operation),
    parameters: [...parametersOf('path', params), ...parametersOf('query', query)],
    ...(body && {
      requestBody: { description: descriptionOf(body), required: (body.required ?? []).length > 0, ...content(body) },
    }),
    responses: {
      ...answerObject(operation, content),
      ...Object.fromEntries(
        problemSets(operation).map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  };
}

function descriptionOf(schema: TSchema): string | undefined {
  return (schema as { description?: string }).description;
}

function securityOf({ access, method }: Operation): readonly Json[] {
  if (!isRole(access)) return [];
  return [{ token: [access] }, method === 'GET' ? { session: [access] } : { session: [access], csrf: [] }];
}

function parametersOf(place: 'path' | 'query', schema: TObject | undefined): readonly Json[] {
  const required = new Set<string>(schema?.required);
  return Object.entries(schema?.properties ?? {}).map(([name, value]) => {
    const { description, ...rest } = value as { description?: string };
    return { name, in: place, required: required.has(name), description, schema: rest };
  });
}

const header = (name: keyof typeof headers) => ({ [name]: { $ref: `#/components/headers/${name}` } });
const everyAnswer = () => ({ ...header('X-Request-Id'), ...header('Cache-Control') });

function answerObject(
  { access, status = 200, answer, answerType, canWait }: Operation,
  content: (schema: TSchema, type?: string) => Json,
): Json {
  const setsCookie = access === 'sign-in' || answer === undefined;
  const answerHeaders = { ...everyAnswer(), ...(setsCookie && header('Set-Cookie')) };
  if (answer === undefined) return { 204: { description: 'Signed out.', headers: answerHeaders } };
  const made = { description: descriptionOf(answer), headers: answerHeaders, ...content(answer, answerType) };
  if (canWait !== true) return { [status]: made };
  const description = 'Another person has to confirm it (`admin.approvals`): the proposal. Nothing is changed yet.';
  return { [status]: made, 202: { description, headers: everyAnswer(), ...content(ApprovalSchema) } };
}

/** Every code that an operation can answer. */
export function codesOf({ access, method, params, query, body, problems = [] }: Operation): readonly ProblemCode[] {
  const codes = new Set<ProblemCode>(['HOST_NOT_ALLOWED', 'INTERNAL_ERROR', ...problems]);
  const add = (...more: readonly ProblemCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (isRole(access) && access !== roles[0]) add('ROLE_REQUIRED');
  if (isRole(access))
    add('NOT_SIGNED_IN', 'SESSION_EXPIRED', 'INVALID_TOKEN', 'TOO_MANY_ATTEMPTS', 'STORE_UNAVAILABLE');
  if (access === 'sign-in') add('STORE_UNAVAILABLE');
  if (method !== 'GET' && access !== 'anybody')
    add('CSRF', 'INVALID_INPUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (params !== undefined) add('NOT_FOUND');
  if (params !== undefined || query !== undefined || body !== undefined) add('INVALID_INPUT');
  return problemCodes.filter((code) => codes.has(code));
}

/** The codes of each status that an operation can answer, and the name of that answer in the document. */
function problemSets(operation: Operation) {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codesOf(operation)) {
    const { status } = problemTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].map(([status, codes]) => ({ status, codes, name: codes.map(componentName).join('Or') }));
}

/** `NOT_FOUND` is `NotFound`. */
function componentName(code: ProblemCode): string {
  return code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Answers with them say when to ask again. */
const retriedLater: ReadonlySet<ProblemCode> = new Set(['TOO_MANY_ATTEMPTS', 'TOO_MANY_STREAMS', 'RECORD_BUSY']);

function problemResponse({ status, codes }: ReturnType<typeof problemSets>[number]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${problemTable[code].description}`).join(' '),
    headers: {
      ...everyAnswer(),
      ...(status === 401 && header('WWW-Authenticate')),
      ...(codes.some((code) => retriedLater.has(code)) && header('Retry-After')),
    },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

function exampleProblem(code: ProblemCode): Json {
  const { status, title, description } = problemTable[code];
  const requestId = '9f2c51d07ab84e6c8d1e7f3a2b4c5d6e';
  return { type: problemType(code), title, status, code, detail: description.replaceAll('`', ''), requestId };
}
