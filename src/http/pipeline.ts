import type { IncomingHttpHeaders } from 'node:http';
import type { BreachLog } from '../access/breach-log.ts';
import type { IpAddress } from '../access/client-address.ts';
import type { KeyDirectory, KeyMatch } from '../access/key-directory.ts';
import type { LimitDecision } from '../access/limit-decision.ts';
import type { Limits, MaybePromise } from '../access/limits.ts';
import { errorTable } from '../contract/errors.ts';
import { type LimitCategory, limitDetail, limitTable, overloadRetryAfterSeconds } from '../contract/limits.ts';
import type { Clock, EpochMs } from '../ground/clock.ts';
import { type Answer, methodNotAllowed, type ProblemAnswer, problem } from './answer.ts';
import { prefersPage } from './negotiation.ts';
import type { Shed } from './overload.ts';
import { type RequestCounts, unmatchedRoute } from './request-counts.ts';
import { isWellFormed, type RequestTarget } from './request-target.ts';
import type { ReadModel, Resource } from './resource.ts';

/** A request that is well-formed HTTP, with what was read once when it came. */
export interface PublicRequest {
  readonly requestId: string;
  /**
   * The instant that it is counted and answered for: a later one once it has waited, so that nothing it shows lies in
   * the future.
   */
  now: EpochMs;
  readonly address: IpAddress;
  readonly method: string;
  readonly target: RequestTarget;
  readonly headers: IncomingHttpHeaders;
  /** See `readForm`. */
  readonly form?: Promise<string | undefined> | undefined;
  /** Refused for overload in the place of an answer. */
  readonly shed: Shed;
}

/** Decides who may ask, and how often. */
export interface Gate {
  readonly keys: KeyDirectory;
  readonly limits: Limits;
  /** Called for every request that a key's own limit refuses. */
  readonly breaches?: Pick<BreachLog, 'refused'> | undefined;
  /** Reads keys that were just made elsewhere; `undefined` when it does not. */
  readonly refreshKeys?: (() => Promise<void> | undefined) | undefined;
}

export interface PipelineParts {
  readonly routes: Routes;
  readonly gate: Gate;
  readonly readModel: ReadModel;
  readonly counts: RequestCounts;
  readonly clock: Pick<Clock, 'now'>;
  /** Gets what a resource threw, under the identifier the client was given; the client gets nothing of it. */
  readonly failed: (error: unknown, requestId: string) => void;
}

/** The answer to a request, and the limit that counted it. */
export interface Decision {
  readonly answer: Answer;
  readonly route: string;
  /** `undefined` where the limits' headers do not apply. */
  readonly verdict: LimitDecision | undefined;
  /** The valid key that asks; absent where there is none. */
  readonly key?: KeyMatch | undefined;
  /** The limit that refused the request; absent where none did. */
  readonly limitedBy?: LimitCategory | 'page';
}

/** The paths of the public listener, by the limit that counts them. */
export interface Routes {
  /** Under `/v1`: an API key each. */
  readonly keyed: ReadonlyMap<string, Resource>;
  /** Counted on the address: the root and the description document. */
  readonly keyless: ReadonlyMap<string, Resource>;
  /** Pages for people, which have a limit of their own. */
  readonly uncounted: ReadonlyMap<string, Resource>;
  /** The page for people at a path that does not exist. */
  readonly lost?: Resource;
}

/**
 * Decides every request in one order (docs/decisions/0004): authenticate, shed, limit, path, method,
 * maintenance, parameters, data. Holds no I/O, unless the limits do, and keeps nothing of a request.
 */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  decide(request: PublicRequest): MaybePromise<Decision> {
    const { path } = request.target;
    if (path.startsWith('/v1') && (path.length === 3 || path[3] === '/')) return this.#decideKeyed(request);
    if (request.shed !== 'none') return overloaded;
    const page = this.#parts.routes.uncounted.get(path);
    if (page !== undefined) return this.#decidePage(page, request);
    return this.#once(
      this.#parts.gate.limits.takeForAddress(request.address.limitBucket, request.now),
      request,
      (verdict) => {
        if (!verdict.allowed) return this.#limited('address', limitTable.address.name, verdict);
        return this.#decideFound(this.#parts.routes.keyless.get(path) ?? this.#lost(request), request, verdict);
      },
    );
  }

  /** Goes on with a verdict: at once when it is there, so that counting in memory makes no promise. */
  #once(
    verdict: MaybePromise<LimitDecision>,
    request: PublicRequest,
    decide: (verdict: LimitDecision) => Decision,
  ): MaybePromise<Decision> {
    if (!(verdict instanceof Promise)) return decide(verdict);
    return verdict.then((known) => {
      request.now = this.#parts.clock.now();
      return decide(known);
    });
  }

  /** A person at a path that does not exist gets a page that says so; programs get a problem. */
  #lost({ method, target, headers }: PublicRequest): Resource | undefined {
    const isRead = method === 'GET' || method === 'HEAD';
    return isRead && isWellFormed(target.path) && prefersPage(headers.accept) ? this.#parts.routes.lost : undefined;
  }

  /** Pages are counted generously, for themselves: a reader never reaches this limit, a flood does. */
  #decidePage(page: Resource, request: PublicRequest): MaybePromise<Decision> {
    const verdict = this.#parts.gate.limits.takeForPage(request.address.limitBucket, request.now);
    if (verdict.allowed && request.method === 'POST' && page.submit !== undefined)
      return this.#submitted(page, request).then((answer) => ({ answer, route: page.route, verdict: undefined }));
    if (verdict.allowed) return { answer: this.#answer(page, request), route: page.route, verdict: undefined };
    return this.#limited('page', 'Pages', verdict);
  }

  #decideKeyed(request: PublicRequest): MaybePromise<Decision> {
    const { now, headers } = request;
    const key = headers['x-exchange-apikey'];
    if (key === undefined) return this.#unauthenticated(true, request);
    const match = this.#parts.gate.keys.find(String(key), now);
    if (match !== undefined) return this.#decideMatched(match, request);
    const mayLook = this.#parts.gate.limits.hasFailuresLeft(request.address.limitBucket, now);
    const looked = mayLook ? this.#parts.gate.refreshKeys?.() : undefined;
    if (looked === undefined) return this.#unauthenticated(false, request);
    return looked.then(() => {
      request.now = this.#parts.clock.now();
      const found = this.#parts.gate.keys.find(String(key), request.now);
      return found === undefined ? this.#unauthenticated(false, request) : this.#decideMatched(found, request);
    });
  }

  #decideMatched(match: KeyMatch, request: PublicRequest): MaybePromise<Decision> {
    const { now, headers, shed, target } = request;
    if (shed === 'all' && !this.#parts.routes.keyed.get(target.path)?.isNeverShed) return { ...overloaded, key: match };
    const verdict = this.#parts.gate.limits.takeForKey(match, now);
    if (!(verdict instanceof Promise)) return this.#decideCounted(match, request, verdict);
    return this.#once(verdict, request, (known) => {
      // In another turn the slot may be another key's: a refusal has to be noted of the key that was refused.
      const still = known.allowed
        ? match
        : this.#parts.gate.keys.find(String(headers['x-exchange-apikey']), request.now);
      return this.#decideCounted(still, request, known);
    });
  }

  /** @param match the key as it is in this turn; `undefined` when it was withdrawn while its request was counted */
  #decideCounted(match: KeyMatch | undefined, request: PublicRequest, verdict: LimitDecision): Decision {
    if (verdict.allowed)
      return this.#decideFound(this.#parts.routes.keyed.get(request.target.path), request, verdict, match);
    if (match !== undefined) this.#parts.gate.breaches?.refused(match, verdict);
    return this.#limited('key', limitTable.key.name, verdict, match);
  }

  #unauthenticated(keyAbsent: boolean, request: PublicRequest): MaybePromise<Decision> {
    const counted = this.#parts.gate.limits.takeForFailedAuthentication(request.address.limitBucket, request.now);
    return this.#once(counted, request, (verdict) => {
      if (!verdict.allowed) return this.#limited('failedAuthentication', limitTable.failedAuthentication.name, verdict);
      const answer = keyAbsent
        ? problem('MISSING_API_KEY', 'The X-EXCHANGE-APIKEY header is missing.')
        : problem('INVALID_API_KEY', 'The API key cannot be used. Check its value, its status and the account.');
      return { answer, route: unmatchedRoute, verdict };
    });
  }

  #limited(category: LimitCategory | 'page', name: string, verdict: LimitDecision, key?: KeyMatch): Decision {
    this.#parts.counts.limited(category);
    const answer = problem('RATE_LIMIT_EXCEEDED', limitDetail(name, verdict.limit), verdict.retryAfterSeconds);
    return { answer, route: unmatchedRoute, verdict, key, limitedBy: category };
  }

  #decideFound(
    resource: Resource | undefined,
    request: PublicRequest,
    verdict: LimitDecision,
    key?: KeyMatch,
  ): Decision {
    if (resource !== undefined) return { answer: this.#answer(resource, request), route: resource.route, verdict, key };
    const answer = isWellFormed(request.target.path)
      ? problem('NOT_FOUND', 'Nothing exists at this path.')
      : problem('BAD_REQUEST', 'The path has a percent sign that starts no escape sequence.');
    return { answer, route: unmatchedRoute, verdict, key };
  }

  /** A resource that throws costs its client an answer, but not the headers of the limit that counted it. */
  #answer(resource: Resource, request: PublicRequest): Answer {
    try {
      return this.#ask(resource, request);
    } catch (error) {
      this.#parts.failed(error, request.requestId);
      return internalError;
    }
  }

  async #submitted(page: Resource, { target, headers, form, address }: PublicRequest): Promise<Answer> {
    const text = await form;
    if (text === undefined) return problem('BAD_REQUEST', 'The form did not arrive, or is longer than accepted.');
    const fields = new URLSearchParams(headers['content-type']?.startsWith('application/x-www-form-') ? text : '');
    return page.submit!({ now: this.#parts.clock.now(), query: target.query, headers }, fields, address.limitBucket);
  }

  #ask(resource: Resource, { method, now, target, headers }: PublicRequest): Answer {
    if (method !== 'GET' && method !== 'HEAD') return methodNotAllowed;
    if (!resource.answersInMaintenance) {
      const retryAfterSeconds = this.#parts.readModel.service.maintenanceRetryAfterSeconds(now);
      if (retryAfterSeconds !== undefined) return maintenanceProblem(retryAfterSeconds);
    }
    return resource.answer({ now, query: target.query, headers }, this.#parts.readModel);
  }
}

/** The answer to a defect of the service: nothing of the cause. */
export const internalError = problem(
  'INTERNAL_ERROR',
  'The request could not be answered because of an internal error.',
);

/** The answer to a request that is shed. It counts against no limit, and so has none's headers. */
export const overloaded: Decision = {
  answer: problem('SERVICE_OVERLOADED', errorTable.SERVICE_OVERLOADED.exampleDetail, overloadRetryAfterSeconds),
  route: unmatchedRoute,
  verdict: undefined,
};

/** Makes the answer that everything but the status gives while a window runs. */
export function maintenanceProblem(retryAfterSeconds: number): ProblemAnswer {
  const detail = 'Planned maintenance is running. GET /v1/status shows its expected end.';
  return problem('SERVICE_MAINTENANCE', detail, retryAfterSeconds);
}
