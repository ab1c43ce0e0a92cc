import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { AddressLimiter } from '../access/address-limiter.ts';
import { joinedHeader } from '../access/client-address.ts';
import { MinuteWindow } from '../access/minute-window.ts';
import { hasTokenShape, tokenDigest } from '../access/operator-token.ts';
import type { Clock, EpochMs } from '../ground/clock.ts';
import type { MetricGroup, Sample } from '../ground/metric.ts';
import { isEnough, isRole, personalRoles, type Role } from '../operator/role.ts';
import { takeTicket } from '../operator/ticket.ts';
import { tokenState } from '../operator/token.ts';
import type { AuditLog } from '../store/audit.ts';
import type { TokenRecord } from '../store/tokens.ts';
import { Challenges } from './challenges.ts';
import { assertSameOrigin, ownOriginOf } from './hosts.ts';
import type { Management } from './parts.ts';
import { Problem } from './problems.ts';
import { type Holder, type Session, Sessions, sameSecret, sessionCookie } from './sessions.ts';

/** Counts of the management API since the start. */
export class ManagementCounts {
  readonly #requests = new Map<string, Map<number, number>>();
  readonly requests: ReadonlyMap<string, ReadonlyMap<number, number>> = this.#requests;
  signIns = 0;
  signInFailures = 0;
  /** The sessions that are open now. */
  sessions = () => 0;

  answered(operation: string, status: number): void {
    const statuses = this.#requests.getOrInsertComputed(operation, () => new Map<number, number>());
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
}

export const managementMetrics: MetricGroup<ManagementCounts> = {
  title: 'Management',
  metrics: [
    {
      name: 'management_requests_total',
      help: 'Answered requests to the management API by operation and status.',
      labels: ['operation', 'status'],
      read: requestsOf,
    },
    { name: 'management_sign_ins_total', help: 'Sign-ins to the console.', read: ({ signIns }) => signIns },
    {
      name: 'management_sign_in_failures_total',
      help: 'Operator tokens that were not accepted, in a sign-in or in a header.',
      read: ({ signInFailures }) => signInFailures,
    },
    { name: 'management_sessions', help: 'Sessions of the console.', read: (counts) => counts.sessions() },
  ],
};

function* requestsOf({ requests }: ManagementCounts): Iterable<Sample> {
  for (const [operation, statuses] of requests) {
    for (const [status, count] of statuses) yield [operation, String(status), count];
  }
}

/** The role that an operation needs; `sign-in` is the operation that makes a session. */
export type Access = Role | 'anybody' | 'sign-in';

export interface Operator {
  /** The name of the token, by which the audit log records what was done. */
  readonly name: string;
  readonly role: Role;
  /** `undefined` for a request that came with a token. */
  readonly session: Session | undefined;
}

/** The operator of a request to an operation that needs no sign-in. */
export const anybody: Operator = { name: 'unknown', role: 'read-only', session: undefined };

const attemptsPerMinute = 10;

/** Decides who may use the management API (docs/decisions/0023). */
export class Gate {
  readonly sessions: Sessions;
  readonly challenges: Challenges;
  readonly #management: Management;
  readonly #counts: ManagementCounts;
  readonly #configured: Uint8Array | undefined;
  readonly #attempts: AddressLimiter;
  readonly #refusals: RefusalLog;

  constructor(management: Management, counts: ManagementCounts) {
    const { clock, randomness, configuration, store } = management;
    const { token, sessionForMs } = configuration.admin;
    this.#management = management;
    this.#counts = counts;
    counts.sessions = () => this.sessions.size;
    this.sessions = new Sessions(clock, randomness, sessionForMs);
    this.challenges = new Challenges(clock, randomness);
    this.#configured = token === undefined ? undefined : tokenDigest(token);
    this.#attempts = new AddressLimiter(new MinuteWindow(), randomness);
    this.#refusals = new RefusalLog(store.as('unknown').audit, clock);
  }

  /** A token takes precedence over a session. Throws a `Problem` when the request is refused. */
  async admit(
    request: FastifyRequest,
    { operationId, access }: { readonly operationId: string; readonly access: Access },
    now: EpochMs,
  ): Promise<Operator> {
    const operator = await this.#operatorOf(request, operationId, now);
    if (isRole(access) && !isEnough(operator.role, access)) throw roleTooLow(operator, access);
    return operator;
  }

  async #operatorOf(request: FastifyRequest, purpose: string, now: EpochMs): Promise<Operator> {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const challenge = credentialsOf('Challenge', authorization);
      const { name, role } =
        challenge === undefined
          ? await this.#holderOf(credentialsOf('Bearer', authorization) ?? '', request, purpose, now)
          : await this.#commandOf(challenge, request, purpose, now);
      return { name, role, session: undefined };
    }
    const secret = request.cookies[sessionCookie];
    if (secret === undefined) throw notSignedIn();
    const session = await this.#liveSession(secret, now);
    if (request.method !== 'GET' && request.method !== 'HEAD') this.#assertOwnPage(request, session);
    return { name: session.name, role: session.role, session };
  }

  /** Makes a session for a valid token. Throws `INVALID_TOKEN`, `TOO_MANY_ATTEMPTS`. */
  async signIn(token: string, request: FastifyRequest, now: EpochMs): Promise<ReturnType<Sessions['open']>> {
    const holder = await this.#holderOf(token, request, 'sign-in', now);
    if (personalRoles.includes(holder.role)) return this.open(holder, request);
    throw roleOfPrograms(holder);
  }

  /**
   * Makes a session for an authenticated holder.
   *
   * @param more for the audit log
   * @param atMostMs where it is to end sooner than others
   */
  async open(
    holder: Holder,
    request: FastifyRequest,
    more: object = {},
    atMostMs?: number,
  ): Promise<ReturnType<Sessions['open']>> {
    const opened = this.sessions.open(holder, atMostMs);
    this.#counts.signIns++;
    const { id, tokenId, name, role, expiresAt } = opened.session;
    const address = this.#addressOf(request).text;
    await this.#record(name, {
      action: 'session.create',
      subject: { kind: 'session', id },
      summary: `Signed in from ${address}.`,
      details: { address, role, tokenId: tokenId ?? null, expiresAtMs: expiresAt, ...more },
    });
    return opened;
  }

  /** Ends the session of a request, if there is one. */
  async signOut(request: FastifyRequest, { name, session }: Operator): Promise<void> {
    const secret = request.cookies[sessionCookie];
    if (secret === undefined || session === undefined) return;
    this.sessions.close(secret);
    const subject = { kind: 'session', id: session.id } as const;
    await this.#record(name, { action: 'session.end', subject, summary: 'Signed out.' });
  }

  /** Reads the token each time, so that one revoked by another process ends its sessions at once. */
  async #liveSession(secret: string, now: EpochMs): Promise<Session> {
    const session = this.sessions.find(secret);
    if (session === undefined) throw notSignedIn();
    if (session === 'expired') {
      const said = { code: 'session_expired', values: {} } as const;
      throw new Problem('SESSION_EXPIRED', 'The session has expired. Sign in again.', { said });
    }
    if (session.tokenId === undefined) return session;
    const token = await this.#management.store.tokens.get(session.tokenId);
    if (token !== undefined && tokenState(token, now) === 'active') {
      await this.#used(token);
      return session;
    }
    this.sessions.closeOf(session.tokenId);
    throw sessionTokenEnded();
  }

  /**
   * A text in the form of a token is looked up however many wrong ones came from its address: 190 bits cannot be
   * guessed, and another user of the address must not lock a program out. Any other text is not compared once the
   * address has used up its attempts.
   */
  async #holderOf(text: string, request: FastifyRequest, purpose: string, now: EpochMs): Promise<Holder> {
    const shaped = hasTokenShape('operator', text);
    if (shaped || !this.isUsedUp(request, now)) {
      const digest = tokenDigest(text);
      if (this.#configured !== undefined && timingSafeEqual(digest, this.#configured))
        return { tokenId: undefined, name: 'configuration', role: 'admin' };
      const token = shaped ? await this.#management.store.tokens.find(digest) : undefined;
      if (token !== undefined && tokenState(token, now) === 'active') return this.#used(token);
      await this.#refused(request, purpose, token);
    }
    throw this.#wrongToken(request, now);
  }

  /** A command that answered a challenge of this process in the store, for this operation alone. */
  async #commandOf(challenge: string, request: FastifyRequest, operation: string, now: EpochMs): Promise<Holder> {
    if (this.challenges.use(challenge)) {
      const name = await takeTicket(this.#management.store, { challenge, operation }, now);
      if (name !== undefined) return { tokenId: undefined, name, role: 'admin' };
    }
    if (!this.isUsedUp(request, now)) await this.#refused(request, operation);
    throw this.#wrongToken(request, now);
  }

  #wrongToken(request: FastifyRequest, now: EpochMs): Problem {
    const { allowed, retryAfterSeconds } = this.noteFailure(request, now);
    if (allowed) return invalidToken();
    return new Problem('TOO_MANY_ATTEMPTS', 'Too many wrong tokens came from this address.', {
      headers: { 'Retry-After': String(retryAfterSeconds) },
      said: { code: 'too_many_attempts', values: {} },
    });
  }

  /** Whether the address of a request has used up its failed attempts of this minute. */
  isUsedUp(request: FastifyRequest, now: EpochMs): boolean {
    return this.#attempts.isUsedUp(this.#addressOf(request).limitBucket, attemptsPerMinute, now);
  }

  noteFailure(request: FastifyRequest, now: EpochMs): ReturnType<AddressLimiter['take']> {
    this.#counts.signInFailures++;
    return this.#attempts.take(this.#addressOf(request).limitBucket, attemptsPerMinute, now);
  }

  /** A person whom the OpenID Connect provider knows and who has no role here. */
  refusePerson(person: string, request: FastifyRequest, now: EpochMs, looked: LookedFor): Promise<void> {
    this.noteFailure(request, now);
    return this.#refused(request, 'provider', undefined, { person, ...looked });
  }

  async #used(token: TokenRecord): Promise<Holder> {
    await this.#bestEffort(() => this.#management.store.tokens.touch(token));
    return { tokenId: token.id, name: token.name, role: token.role };
  }

  #refused(request: FastifyRequest, purpose: string, token?: TokenRecord, refused?: RefusedPerson): Promise<void> {
    const address = this.#addressOf(request).text;
    return this.#bestEffort(() => this.#refusals.record(address, purpose, token?.id, refused));
  }

  #record(name: string, change: Parameters<Management['store']['audit']['record']>[0]): Promise<void> {
    return this.#bestEffort(() => this.#management.store.as(name).audit.record(change));
  }

  /** Access does not depend on the audit log: an operator is needed when the disk is full. */
  async #bestEffort(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#management.log.error({ err: error }, 'a sign-in could not be written to the audit log');
    }
  }

  #assertOwnPage(request: FastifyRequest, { csrfToken }: Session): void {
    assertSameOrigin(request.headers, ownOriginOf(request, this.#management.access.addresses), true);
    const sent = request.headers['x-csrf-token'];
    if (typeof sent === 'string' && sameSecret(sent, csrfToken)) return;
    throw csrfTokenMissing();
  }

  #addressOf(request: FastifyRequest) {
    const { remoteAddress } = request.socket;
    return this.#management.access.addresses.resolve(remoteAddress, joinedHeader(request.headers['x-forwarded-for']));
  }
}

function notSignedIn(): Problem {
  return new Problem(
    'NOT_SIGNED_IN',
    'Sign in with an operator token, or send one as `Authorization: Bearer …`. `mdapi admin token` makes one.',
    { said: { code: 'not_signed_in', values: {} } },
  );
}

function invalidToken(): Problem {
  return new Problem(
    'INVALID_TOKEN',
    'The token is not valid. `mdapi admin token` makes one; `mdapi admin tokens` lists the existing ones.',
    { said: { code: 'token_invalid', values: {} } },
  );
}

function sessionTokenEnded(): Problem {
  return new Problem(
    'SESSION_EXPIRED',
    'The token of this session was revoked or has expired. Sign in with another one.',
    { said: { code: 'token_ended', values: {} } },
  );
}

function csrfTokenMissing(): Problem {
  return new Problem(
    'CSRF',
    'The header X-CSRF-Token is missing or not that of this session. GET /api/session returns it.',
    { said: { code: 'csrf_token', values: {} } },
  );
}

function roleTooLow({ name, role }: Operator, needed: Role): Problem {
  return new Problem('ROLE_REQUIRED', `This needs the role ${needed}; ${name} has the role ${role}.`, {
    said: { code: 'role_required', values: { needed, name, role } },
  });
}

function roleOfPrograms({ name, role }: Holder): Problem {
  return new Problem('ROLE_REQUIRED', `${name} has the role ${role}, which is for programs.`, {
    said: { code: 'role_of_programs', values: { name, role } },
  });
}

/** Gives what follows the name of the scheme; `undefined` for any other scheme. */
function credentialsOf(scheme: 'Bearer' | 'Challenge', authorization: string): string | undefined {
  const [, name, credentials] = /^(\w+) +(\S+) *$/.exec(authorization) ?? [];
  return name?.toLowerCase() === scheme.toLowerCase() ? credentials : undefined;
}

/** Where a role was looked for, and what kind of value was there. */
interface LookedFor {
  readonly claim: string;
  readonly found: string;
}

interface RefusedPerson extends LookedFor {
  readonly person: string;
}

const entriesPerHourMax = 60;
const hourMs = 3_600_000;

/**
 * Records refused tokens, at most 60 an hour whatever the number of addresses they come from, so that no flood can fill
 * the disk with them. The next recorded entry counts those that were left out.
 */
export class RefusalLog {
  readonly #audit: Pick<AuditLog, 'record'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #hourStartMs = Number.NEGATIVE_INFINITY;
  #recorded = 0;
  #leftOut = 0;

  /** @param audit bound to the actor `unknown` */
  constructor(audit: Pick<AuditLog, 'record'>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#audit = audit;
    this.#clock = clock;
  }

  /**
   * Rejects when the store does.
   *
   * @param address the canonical one of the sender
   * @param purpose what it was sent for: `sign-in` or the id of an operation
   * @param tokenId of a known token that is no longer valid
   * @param refused who it was, where it was no token
   */
  async record(address: string, purpose: string, tokenId?: string, refused?: RefusedPerson): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#hourStartMs >= hourMs) {
      this.#hourStartMs = nowMs;
      this.#recorded = 0;
    }
    if (this.#recorded >= entriesPerHourMax) {
      this.#leftOut++;
      return;
    }
    this.#recorded++;
    const leftOutBefore = this.#leftOut;
    this.#leftOut = 0;
    const token = tokenId === undefined ? 'a wrong token' : 'a token that is no longer valid';
    const what = refused === undefined ? token : `${refused.person}, who has no role,`;
    await this.#audit.record({
      action: 'session.refuse',
      subject: tokenId === undefined ? { kind: 'session', id: purpose } : { kind: 'token', id: tokenId },
      summary: `Refused ${what} from ${address}.`,
      details: { address, purpose, leftOutBefore, ...refused },
    });
  }
}
