import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tokenDigest } from '../../access/operator-token.ts';
import { randomBase62 } from '../../base62.ts';
import type { Clock, EpochMs, Randomness } from '../../clock.ts';
import { instants, line, named, nullableLine, object, pair, text, words } from '../../operator/fields.ts';
import { type Role, roles } from '../../operator/role.ts';
import type { Management } from '../sources.ts';
import { ownOriginOf } from './hosts.ts';
import { operation, strictObject } from './operation.ts';
import { Problem } from './problems.ts';

/** Who has signed in, with a token or through the provider. */
export interface Holder {
  /** The id of the token in the store; `undefined` for that of the configuration, and for a person. */
  readonly tokenId: string | undefined;
  readonly name: string;
  readonly role: Role;
}

/** A signed-in browser. */
export interface Session extends Holder {
  /** For the audit log; it grants no access. */
  readonly id: string;
  readonly csrfToken: string;
  readonly expiresAt: EpochMs;
}

export const sessionCookie = 'mdapi_session';

const sessionsMax = 1_000;
/** 190 random bits. */
const secretLength = 32;
const idLength = 16;

/**
 * The sessions of this process, in memory. A session is stored under the SHA-256 of its secret, so that neither the time of a
 * look-up nor a memory dump reveals the secret. At 1,000 sessions the oldest is dropped.
 */
export class Sessions {
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly #randomness: Randomness;
  readonly #lastsMs: number;
  readonly #byDigest = new Map<string, Session & { readonly endsAtMonotonicMs: number }>();

  /** @param lastsMs from sign-in to the end, however much it is used */
  constructor(clock: Pick<Clock, 'now' | 'monotonicMs'>, randomness: Randomness, lastsMs: number) {
    this.#clock = clock;
    this.#randomness = randomness;
    this.#lastsMs = lastsMs;
  }

  /** Sessions that are held; some may have expired. */
  get size(): number {
    return this.#byDigest.size;
  }

  /** Makes a session and its secret. */
  open(holder: Holder): { readonly secret: string; readonly session: Session } {
    this.#dropExpired();
    const [oldest] = this.#byDigest.keys();
    if (this.#byDigest.size >= sessionsMax && oldest !== undefined) this.#byDigest.delete(oldest);
    const secret = randomBase62(secretLength, this.#randomness);
    const session = {
      id: `ses_${randomBase62(idLength, this.#randomness)}`,
      ...holder,
      csrfToken: randomBase62(secretLength, this.#randomness),
      expiresAt: (this.#clock.now() + this.#lastsMs) as EpochMs,
      endsAtMonotonicMs: this.#clock.monotonicMs() + this.#lastsMs,
    };
    this.#byDigest.set(digestText(secret), session);
    return { secret, session };
  }

  /** `expired` once for a session that has expired, which is dropped. */
  find(secret: string): Session | 'expired' | undefined {
    const digest = digestText(secret);
    const session = this.#byDigest.get(digest);
    if (session === undefined) return undefined;
    if (!this.#isOver(session)) return session;
    this.#byDigest.delete(digest);
    return 'expired';
  }

  close(secret: string): void {
    this.#byDigest.delete(digestText(secret));
  }

  /** Ends every session of a token. */
  closeOf(tokenId: string): void {
    for (const [digest, session] of this.#byDigest) if (session.tokenId === tokenId) this.#byDigest.delete(digest);
  }

  /** By both clocks: a wall clock set back makes no session longer. */
  #isOver({ expiresAt, endsAtMonotonicMs }: Session & { readonly endsAtMonotonicMs: number }): boolean {
    return this.#clock.now() >= expiresAt || this.#clock.monotonicMs() >= endsAtMonotonicMs;
  }

  #dropExpired(): void {
    for (const [digest, session] of this.#byDigest) if (this.#isOver(session)) this.#byDigest.delete(digest);
  }
}

/** Whether two secrets are the same, in a time that does not depend on where they differ. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(tokenDigest(one), tokenDigest(other));
}

function digestText(secret: string): string {
  return Buffer.from(tokenDigest(secret)).toString('base64');
}

const SessionSchema = named('Session', 'A signed-in browser.', {
  operator: object('Who is signed in.', {
    name: line(
      'Name of the token that was signed in with; `oidc:` and the e-mail address or subject of a person.',
      'alice',
      300,
    ),
    role: words(roles, 'What they may do; each role may also do what those before it may.'),
  }),
  csrfToken: text(
    'Sent as `X-CSRF-Token` with every request of this session that changes something.',
    '5rZ0oVbVdQn1B2c3D4e5F6g7H8i9J0k1',
    32,
    32,
  ),
  ...pair('expiresAt', 'When the session ends, however much it is used.'),
});

const SignInSchema = strictObject('What to sign in with.', {
  token: text(
    'An operator token: one made by `mdapi admin token`, or that of the configuration.',
    'mdo_0123456789abcdefghijABCDEFGHIJ01xxxxxx',
    200,
  ),
});

function sessionBody({ name, role, csrfToken, expiresAt }: Session) {
  return { operator: { name, role }, csrfToken, ...instants('expiresAt', expiresAt) };
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
    method: 'DELETE',
    path: '/api/session',
    summary: 'Sign out',
    description: 'Ends the session and clears its cookie.',
    async handle({ gate, operator, request, reply }, management) {
      await gate.signOut(request, operator);
      reply.clearCookie(sessionCookie, { ...cookieFlags, secure: isOverTls(request, management) });
      return undefined as never;
    },
  }),

  readSignInMethods: operation({
    path: '/api/session/methods',
    access: 'anybody',
    summary: 'How browsers can sign in',
    description: 'With an operator token always; through an OpenID Connect provider where one is configured.',
    answer: named('SignInMethods', 'The ways to sign in.', {
      provider: nullableLine(
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
