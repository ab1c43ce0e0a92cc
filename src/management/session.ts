import type { FastifyReply, FastifyRequest } from 'fastify';
import * as fields from '../operator/fields.ts';
import { roles } from '../operator/role.ts';
import { ownOriginOf } from './hosts.ts';
import { operation, strictObject } from './operation.ts';
import type { Management } from './parts.ts';
import { Problem } from './problems.ts';
import { type Session, type Sessions, sessionCookie } from './sessions.ts';

const SessionSchema = fields.named('Session', 'A signed-in browser.', {
  operator: fields.object('Who is signed in.', {
    name: fields.line(
      'Name of the token that was signed in with; `oidc:` and the e-mail address or subject of a person.',
      'alice',
      300,
    ),
    role: fields.openEnum(roles, 'What they may do; each role may also do what those before it may.'),
  }),
  csrfToken: fields.text(
    'Sent as `X-CSRF-Token` with every request of this session that changes something.',
    '5rZ0oVbVdQn1B2c3D4e5F6g7H8i9J0k1',
    32,
    32,
  ),
  ...fields.instantFields('expiresAt', 'When the session ends, however much it is used.'),
});

const SignInSchema = strictObject('What to sign in with.', {
  token: fields.text(
    'An operator token: one made by `mdapi admin token`, or that of the configuration.',
    'mdo_0123456789abcdefghijABCDEFGHIJ01xxxxxx',
    200,
  ),
});

function sessionBody({ name, role, csrfToken, expiresAt }: Session) {
  return { operator: { name, role }, csrfToken, ...fields.instants('expiresAt', expiresAt) };
}

export const sessionOperations = {
  signIn: operation({
    path: '/api/session',
    summary: 'Sign in',
    description:
      'Makes a session for a browser and sets its cookie. Programs do not need one: they send the token with each request. A session lasts as long as `admin.sessionFor` says, and ends at once when its token is revoked or the process ends.',
    access: 'sign-in',
    body: SignInSchema,
    status: 201,
    answer: SessionSchema,
    problems: ['INVALID_TOKEN', 'TOO_MANY_ATTEMPTS'],
    async handle({ body, now, gate, request, reply }, management) {
      const opened = await gate.signIn(body.token, request, now);
      setSessionCookie(reply, opened, request, management);
      return sessionBody(opened.session);
    },
  }),

  createChallenge: operation({
    path: '/api/challenges',
    summary: 'Ask for a challenge',
    description:
      'For commands on the machine, which have no token: they answer it in the store of the service, for one operation, and send it as `Authorization: Challenge …` with that operation. It is good once, for half a minute, and worth nothing to whoever cannot write to the store.',
    method: 'POST',
    access: 'anybody',
    status: 201,
    answer: fields.named('Challenge', 'A challenge of this process.', {
      challenge: fields.text('The text.', '5rZ0oVbVdQn1B2c3D4e5F6g7H8i9J0k1', 32, 32),
    }),
    handle: ({ gate }) => ({ challenge: gate.challenges.make() }),
  }),

  readSession: operation({
    path: '/api/session',
    summary: 'The session of this browser',
    description: 'Who is signed in, and the token against cross-site requests. Only for a session, not for a token.',
    answer: SessionSchema,
    handle({ operator: { session } }) {
      if (session !== undefined) return sessionBody(session);
      throw new Problem('NOT_SIGNED_IN', 'The request came with a token, not with a session. It is valid.');
    },
  }),

  signOut: operation({
    path: '/api/session',
    summary: 'Sign out',
    description: 'Ends the session and clears its cookie.',
    method: 'DELETE',
    async handle({ gate, operator, request, reply }, management) {
      await gate.signOut(request, operator);
      reply.clearCookie(sessionCookie, { ...cookieFlags, secure: isOverTls(request, management) });
      return undefined as never;
    },
  }),

  readSignInMethods: operation({
    path: '/api/session/methods',
    summary: 'How browsers can sign in',
    description: 'With an operator token always; through an OpenID Connect provider where one is configured.',
    access: 'anybody',
    answer: fields.named('SignInMethods', 'The ways to sign in.', {
      provider: fields.nullableLine(
        'Host of the provider; a visit of `/console/sign-in` leads there.',
        'login.example.com',
        300,
      ),
    }),
    handle(_asked, { configuration: { admin } }) {
      return { provider: admin.oidc === undefined ? null : new URL(admin.oidc.issuer).host };
    },
  }),
};

export const cookieFlags = { httpOnly: true, sameSite: 'strict', path: '/' } as const;

export function setSessionCookie(
  reply: FastifyReply,
  { secret, session }: ReturnType<Sessions['open']>,
  request: FastifyRequest,
  management: Management,
): void {
  const maxAge = Math.max(1, Math.ceil((session.expiresAt - management.clock.now()) / 1_000));
  reply.setCookie(sessionCookie, secret, { ...cookieFlags, secure: isOverTls(request, management), maxAge });
}

export function isOverTls(request: FastifyRequest, { access }: Management): boolean {
  return ownOriginOf(request, access.addresses)?.startsWith('https:') === true;
}
