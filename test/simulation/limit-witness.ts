import type { Witnessed } from './clients.ts';
import { calmMs } from './never-back.ts';
import type { Witnessing } from './witnessing.ts';

const revokedWithinMs = 1_000;
const retryAfterMaxS = 3_600;
const unavailableRetryS = 5;
/** A request takes a moment, and whole seconds are told. */
const retryWithinS = 1.5;

/** Looks whether keys and their limits are kept, and whether whoever is refused is told when to come back. */
export class LimitWitness {
  readonly #witnessing: Witnessing;
  readonly #admitted = new Map<string, number>();

  constructor(witnessing: Witnessing) {
    this.#witnessing = witnessing;
  }

  saw(answer: Witnessed): void {
    this.#looksKnown(answer);
    if (answer.status === 429 || answer.status === 503) this.#looksRetried(answer);
    if (answer.status !== 401 && answer.status !== 429) this.#looksCounted(answer);
  }

  #looksKnown({ key, status, body, by, askedAtMs, target }: Witnessed): void {
    const { truth, findings } = this.#witnessing;
    const revokedAtMs = truth.revokedAtMs(key);
    const isCalm = askedAtMs - truth.undisturbedSinceMs(by) > 1_500;
    const isKnown = revokedAtMs !== undefined && revokedAtMs < (truth.storeLostAtMs ?? Number.POSITIVE_INFINITY);
    if (isKnown && isCalm && askedAtMs > revokedAtMs + revokedWithinMs)
      findings.check(
        'revoked keys',
        // An address that was refused too often is told so.
        status === 401 || (status === 429 && !body.includes('"detail":"API key')),
        () => `${by} answered ${status} to ${target}: ${body.slice(0, 200)}`,
      );
  }

  #looksCounted({ key, headers, by, askedAtMs }: Witnessed): void {
    const { truth, findings, epochMs } = this.#witnessing;
    const window = `${key} ${headers['x-ratelimit-reset']}`;
    const admitted = (this.#admitted.get(window) ?? 0) + 1;
    this.#admitted.set(window, admitted);
    if (this.#admitted.size > 5_000) this.#admitted.delete(this.#admitted.keys().next().value!);
    const { sharedSinceMs, processesStartedAtMs, clocksSetAtMs, processes } = truth;
    const aloneSinceMs = Math.max(sharedSinceMs, clocksSetAtMs, processes > 1 ? 0 : processesStartedAtMs);
    // What a process admitted by itself is counted for all with its next request: in that minute there may be none.
    const beganAtMs = Number(headers['x-ratelimit-reset']) * 1_000 - 60_000 - epochMs;
    const isAlone = askedAtMs - aloneSinceMs < 2 * calmMs || beganAtMs < aloneSinceMs;
    const limit = Number(headers['x-ratelimit-limit']) * (isAlone ? processes + 2 : 1);
    findings.check(
      'exact limits',
      admitted <= limit,
      () => `${by} admitted request ${admitted} of the window ${window.slice(-10)}`,
    );
  }

  /** To the end of its window, of a maintenance, or as long as data may take. */
  #looksRetried({ status, headers, body, by, target, askedAtMs, answeredAtMs }: Witnessed): void {
    const { truth, findings, epochMs } = this.#witnessing;
    const told = headers['retry-after'] ?? 'nothing';
    const seconds = /^\d+$/.test(told) ? Number(told) : Number.NaN;
    let isRight = seconds >= 1 && seconds <= retryAfterMaxS;
    if (body.includes('"MARKET_DATA_UNAVAILABLE"')) isRight &&= seconds === unavailableRetryS;
    if (status === 429) {
      const resetMs = Number(headers['x-ratelimit-reset']) * 1_000 - epochMs - truth.offMs(by);
      const isSteady = truth.undisturbedSinceMs(by) < askedAtMs - 1_000;
      const isOfWindow = (atMs: number) => Math.abs((resetMs - atMs) / 1_000 - seconds) <= retryWithinS;
      isRight &&= seconds <= 60 && (!isSteady || isOfWindow(askedAtMs) || isOfWindow(answeredAtMs));
    }
    findings.check('retry after', isRight, () => `${by} answered ${status} to ${target}, and said ${told}: ${body}`);
  }
}
