import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import type { EpochMs } from '../ground/clock.ts';
import { isRole } from '../operator/role.ts';
import { anybody, Gate, type ManagementCounts, type Operator } from './gate.ts';
import { assertSameOrigin, ownOriginOf } from './hosts.ts';
import type { Asked, ListedOperation, Operation } from './operation.ts';
import { operations } from './operations.ts';
import type { Management } from './parts.ts';
import { type FieldError, Problem } from './problems.ts';
import { Proposed } from './proposed.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request to the management API. */
    asked: { readonly now: EpochMs; operator: Operator } | undefined;
  }

  interface FastifyContextConfig {
    operationId?: string;
  }
}

/** Adds the management API to the private listener: every operation of the table, and 405 for the other methods. */
export function addManagementApi(app: FastifyInstance, management: Management, counts: ManagementCounts): void {
  const gate = new Gate(management, counts);
  app.register(async (api) => {
    await api.register(cookie);
    takeOnlyJson(api);
    api.decorateRequest('asked', undefined);
    api.addHook('onSend', async (_request, reply) => {
      reply.header('Cache-Control', 'no-store').header('Cross-Origin-Resource-Policy', 'same-origin');
    });
    api.addHook('onResponse', async (request, reply) => {
      const operation = request.routeOptions.config.operationId ?? 'unmatched';
      counts.answered(operation, reply.statusCode);
    });
    for (const operation of operations) addOperation(api, operation, management, gate);
    const { oidc } = management.configuration.admin;
    if (oidc !== undefined) {
      const { addProviderSignIn } = await import('./oidc.ts');
      addProviderSignIn(api, oidc, management, gate);
    }
    refuseOtherMethods(api);
  });
}

/** An empty body counts as none: operations without values take requests with or without a content type. */
function takeOnlyJson(api: FastifyInstance): void {
  const parse = api.getDefaultJsonParser('error', 'error');
  api.removeAllContentTypeParsers();
  api.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body as string, done);
  });
}

function addOperation(api: FastifyInstance, operation: ListedOperation, management: Management, gate: Gate): void {
  const params = operation.params && textCheck(operation.params);
  const query = operation.query && textCheck(operation.query);
  const body = operation.body && checkOf(operation.body, (value) => value ?? {});
  api.route({
    method: operation.method,
    url: operation.path,
    config: { operationId: operation.operationId },
    onRequest: (request) => admit(request, operation, management, gate),
    async handler(request, reply) {
      const { now, operator } = request.asked!;
      const asked = {
        params: params?.(request.params),
        query: query?.(request.query),
        body: body?.(request.body),
        now,
        operator,
        store: management.store.as(operator.name),
        gate,
        request,
        reply,
      } as Asked;
      const answer = await operation.handle(asked, management);
      // What was changed is in force once the answer arrives.
      if (operation.method !== 'GET') await management.changes.look();
      return reply.sent ? reply : send(reply, operation, answer);
    },
  });
}

/** Runs before the body is read. */
async function admit(
  request: FastifyRequest,
  operation: ListedOperation,
  management: Management,
  gate: Gate,
): Promise<void> {
  const now = management.clock.now();
  request.asked = { now, operator: anybody };
  if (operation.access === 'sign-in')
    assertSameOrigin(request.headers, ownOriginOf(request, management.access.addresses), false);
  if (isRole(operation.access)) request.asked.operator = await gate.admit(request, operation, now);
}

function send(reply: FastifyReply, { status = 200, answer }: Operation, made: unknown): FastifyReply {
  if (answer === undefined) return reply.code(204).send();
  const isProposed = made instanceof Proposed;
  reply.code(isProposed ? 202 : status);
  const body = isProposed ? made.approval : made;
  // As bytes, which some operations have ready: the framework adds a charset to text, and JSON has none (RFC 8259 §11).
  const bytes = body instanceof Buffer ? body : Buffer.from(JSON.stringify(body));
  return reply.header('Content-Type', 'application/json').send(bytes);
}

const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

function refuseOtherMethods(api: FastifyInstance): void {
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const known = operations.filter((operation) => operation.path === path).map(({ method }): string => method);
    const allow = known.includes('GET') ? ['GET', 'HEAD', ...known.filter((method) => method !== 'GET')] : known;
    api.route({
      method: allMethods.filter((method) => !known.includes(method)),
      url: path,
      async onRequest() {
        const headers = { Allow: allow.join(', ') };
        throw new Problem('METHOD_NOT_ALLOWED', `This path answers ${allow.join(', ')} only.`, { headers });
      },
      handler: () => undefined,
    });
  }
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** Checks values against a schema. Throws `INVALID_INPUT`, which names every wrong field. */
type Check = (values: unknown) => unknown;

/** For path and query, where everything is text: digits become numbers where the schema asks for one. */
function textCheck(schema: TObject): Check {
  const numbers = Object.entries(schema.properties).flatMap(([name, { type }]: [string, { type?: unknown }]) =>
    type === 'integer' ? [name] : [],
  );
  return checkOf({ ...schema, additionalProperties: false } as TObject, (value) => {
    const values: Record<string, unknown> = { ...(value as object) };
    for (const name of numbers) {
      if (typeof values[name] === 'string' && /^-?\d{1,15}$/.test(values[name])) values[name] = Number(values[name]);
    }
    return values;
  });
}

function checkOf(schema: TObject, prepared: (value: unknown) => unknown): Check {
  // Most operations are never asked of a process: they would only make its start later.
  let validator: ReturnType<typeof Compile<TObject>> | undefined;
  return (given) => {
    validator ??= Compile(schema);
    const value = prepared(given);
    if (validator.Check(value)) return value;
    const errors = fieldErrors(schema, validator.Errors(value) as unknown as readonly SchemaError[]);
    const detail = errors.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join(' ');
    throw new Problem('INVALID_INPUT', detail, { errors });
  };
}

/** One message a field: the first, which is the closest to what was sent. */
function fieldErrors(schema: TObject, found: readonly SchemaError[]): readonly FieldError[] {
  const byField = new Map<string, Omit<FieldError, 'field'>>();
  const known = Object.keys(schema.properties).join(', ');
  for (const { keyword, params, instancePath, message } of found) {
    const { additionalProperties = [], requiredProperties = [] } = params as {
      additionalProperties?: readonly string[];
      requiredProperties?: readonly string[];
    };
    for (const name of additionalProperties) {
      const message =
        known === '' ? 'is not known; this operation takes no values.' : `is not known. Known here: ${known}.`;
      byField.set(name, { message });
    }
    for (const name of requiredProperties) byField.set(name, missing);
    if (keyword === 'additionalProperties' || keyword === 'required' || keyword === 'boolean') continue;
    const field = instancePath.slice(1).replaceAll('/', '.');
    if (!byField.has(field)) byField.set(field, field === '' ? noObject : { message: `${message}.` });
  }
  return [...byField].map(([field, fault]) => ({ field, ...fault }));
}

const missing = { message: 'is missing.', messageCode: { code: 'value_missing', values: {} } } as const;
const noObject = {
  message: 'The body must be a JSON object.',
  messageCode: { code: 'body_no_object', values: {} },
} as const;
