import { hash } from 'node:crypto';
import { contractLimits } from '../../src/contract/limits.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { createResponseValidator, type ResponseValidator } from '../contract/response-validator.ts';
import type { Witnessed } from './clients.ts';
import type { HonestQuotes } from './honest-quotes.ts';
import type { Findings } from './rules.ts';
import { epochMs } from './scheduler.ts';

/** What the witnesses know of the world, besides what they see served. */
export interface Truth {
  readonly quotes: HonestQuotes;
  /** By how much the wall clock of a process is off. */
  offMs(by: string): number;
  /** The furthest that any clock was off, and that frames were late. */
  readonly offMsMax: number;
  /** When an exchange last sent anything to anybody, by the world's time. */
  readonly heardAtMs: number;
  /** What happens often happens seldom, or did until a moment ago, see `Scheduler`. */
  readonly isQuiet: boolean;
  /**
   * When the first source did, where processes have it, and had the prices of it, ever since; `undefined` otherwise.
   */
  readonly firstHeardAtMs: number | undefined;
  /** Since when every process can reach Redis, and Redis kept what it held. */
  readonly sharedSinceMs: number;
  /**
   * Since when they have one board, too: whoever has one of its own, or of an older store, keeps it while nobody is
   * fed.
   */
  readonly oneBoardSinceMs: number;
  /** Since when the process runs without being frozen, or having its clock set. */
  undisturbedSinceMs(by: string): number;
  readonly clocksSetAtMs: number;
  readonly processesStartedAtMs: number;
  /** Since when processes may not know what an operator did, where that is so. */
  readonly storeLostAtMs: number | undefined;
  /** Whether what was served at an instant may not have been saved. */
  wasUnsaved(atMs: number): boolean;
  readonly processes: number;
  /** When a key was revoked, if it was. */
  revokedAtMs(key: string): number | undefined;
  /** Whether no exchange has listed the market for so long that it is delisted. */
  mayBeDelisted(symbol: string): boolean;
  /** Whether a lie that looks like a price is told, or nobody is there to contradict it. */
  readonly isDoubtful: boolean;
}

interface TickerBody {
  readonly symbol: string;
  readonly buyPrice: string;
  readonly sellPrice: string;
  readonly timestampMs: number;
}

/**
 * A price may be dated so long before or after its quote held: what is not dated by its exchange is dated on arrival,
 * four seconds late at times.
 */
const datedWithinMs = 6_000;
/** Terms begin on each process's own clock, and a request takes a moment. */
const termsWithinMs = 1_500;
/** Within it every process has found the others again, and what is counted twice is counted once. */
export const calmMs = 20_000;
/** For so long after a clock was set, times may go back by as much as it was off. */
const resetWithinMs = 600_000;
/**
 * From the last word of an exchange to the end of `operational`, and to `outage`; the processes that follow hear of it
 * a little later.
 */
const operationalForMs = 6_000;
const operationalForQuietMs = 15_000;
const outageAfterMs = 5 * 60_000 + operationalForMs;
const revokedWithinMs = 1_000;
const documentedEvery = 10;

/** Look at every answer from outside, as a client and an auditor would. */
export class Witnesses {
  readonly #truth: Truth;
  readonly #findings: Findings;
  readonly #epochMs: number;
  readonly #validate: ResponseValidator;
  readonly #last = new Map<string, { readonly value: number; readonly by: string; readonly atMs: number }>();
  readonly #explained = new Map<string, string>();
  readonly #admitted = new Map<string, number>();
  readonly #tagged = new Map<string, string>();
  #answers = 0;

  /** @param epochMs the instant at which the world began */
  constructor(truth: Truth, findings: Findings, epochMs: number) {
    this.#truth = truth;
    this.#findings = findings;
    this.#epochMs = epochMs;
    const baseUrl = 'http://127.0.0.1:8080';
    const document = openApiDocument({
      baseUrl,
      errorsUrl: `${baseUrl}/errors`,
      limits: contractLimits,
    });
    this.#validate = createResponseValidator(document);
  }

  saw(answer: Witnessed): void {
    this.#answers++;
    this.#looksDocumented(answer);
    this.#looksAllowed(answer);
    const isShed = answer.status === 503 && answer.body.includes('SERVICE_OVERLOADED');
    this.#findings.check('never shed', !isShed, () => `${answer.by} refused ${answer.target}: ${answer.body}`);
    this.#looksTagged(answer);
    if ((answer.status !== 200 && answer.status !== 304) || answer.shown === undefined) return;
    const body = JSON.parse(answer.shown);
    if (answer.target === '/v1/tickers') for (const ticker of body.tickers) this.#sawTicker(ticker, answer);
    else if (answer.target.startsWith('/v1/ticker?')) this.#sawTicker(body, answer);
    else if (answer.target === '/v1/status') this.#sawStatus(body, answer);
    else if (answer.target === '/v1/markets')
      for (const { symbol, status } of body.markets)
        if (!this.#truth.mayBeDelisted(symbol))
          this.#findings.check('never delisted', status !== 'delisted', () => `${symbol} is delisted on ${answer.by}`);
  }

  #looksDocumented({ target, status, headers, body, by }: Witnessed): void {
    if (status < 500 && this.#answers % documentedEvery !== 0) return;
    let fault: string | undefined;
    try {
      this.#validate({ method: 'GET', path: target, status, headers, body });
    } catch (error) {
      fault = (error as Error).message;
    }
    this.#findings.check('documented', fault === undefined, () => `${by}: ${fault}`);
  }

  #looksTagged({ by, target, status, headers, shown }: Witnessed): void {
    const tag = headers.etag;
    if (tag === undefined) return;
    const name = `${target} ${tag}`;
    const digest = hash('sha256', shown ?? '');
    const known = this.#tagged.get(name) ?? (status === 304 ? undefined : digest);
    this.#findings.check(
      'entity tags',
      known === digest,
      () => `${by} answered ${status} to ${name} with another text`,
    );
    // To the end of the order.
    this.#tagged.delete(name);
    this.#tagged.set(name, digest);
    if (this.#tagged.size > 5_000) this.#tagged.delete(this.#tagged.keys().next().value!);
  }

  #looksAllowed({ key, status, headers, body, by, askedAtMs, target }: Witnessed): void {
    const revokedAtMs = this.#truth.revokedAtMs(key);
    const isCalm = askedAtMs - this.#truth.undisturbedSinceMs(by) > 1_500;
    const isKnown = revokedAtMs !== undefined && revokedAtMs < (this.#truth.storeLostAtMs ?? Number.POSITIVE_INFINITY);
    if (isKnown && isCalm && askedAtMs > revokedAtMs + revokedWithinMs)
      this.#findings.check(
        'revoked keys',
        // An address that was refused too often is told so.
        status === 401 || (status === 429 && !body.includes('"detail":"API key')),
        () => `${by} answered ${status} to ${target}: ${body.slice(0, 200)}`,
      );
    if (status === 401 || status === 429) return;
    const window = `${key} ${headers['x-ratelimit-reset']}`;
    const admitted = (this.#admitted.get(window) ?? 0) + 1;
    this.#admitted.set(window, admitted);
    if (this.#admitted.size > 5_000) this.#admitted.delete(this.#admitted.keys().next().value!);
    const { sharedSinceMs, processesStartedAtMs, clocksSetAtMs, processes } = this.#truth;
    const aloneSinceMs = Math.max(sharedSinceMs, clocksSetAtMs, processes > 1 ? 0 : processesStartedAtMs);
    // What a process admitted by itself is counted for all with its next request: in that minute there may be none.
    const beganAtMs = Number(headers['x-ratelimit-reset']) * 1_000 - 60_000 - epochMs;
    const isAlone = askedAtMs - aloneSinceMs < 2 * calmMs || beganAtMs < aloneSinceMs;
    const limit = Number(headers['x-ratelimit-limit']) * (isAlone ? processes + 2 : 1);
    this.#findings.check(
      'exact limits',
      admitted <= limit,
      () => `${by} admitted request ${admitted} of the window ${window.slice(-10)}`,
    );
  }

  #sawTicker(ticker: TickerBody, answer: Witnessed): void {
    const { symbol, timestampMs } = ticker;
    const { by, key, askedAtMs, answeredAtMs } = answer;
    this.#neverBack(`${key} ${symbol}`, timestampMs, answer);
    const shown = `${ticker.buyPrice} ${ticker.sellPrice} ${timestampMs}`;
    if (this.#explained.get(`${by} ${symbol}`) === shown) return;
    this.#explained.set(`${by} ${symbol}`, shown);
    const { quotes, offMsMax, isDoubtful } = this.#truth;
    if (isDoubtful) return;
    const { clocksSetAtMs, storeLostAtMs = Number.POSITIVE_INFINITY } = this.#truth;
    const offMs = this.#truth.offMs(by);
    // Of an answer on its way to a slow client, which the clock was set after.
    const setMs = clocksSetAtMs >= askedAtMs ? offMsMax : 0;
    const terms = [
      Math.min(askedAtMs, storeLostAtMs) + offMs - setMs - termsWithinMs,
      answeredAtMs + offMs + setMs + termsWithinMs,
    ] as const;
    const isHonest = quotes.explains(
      ticker,
      timestampMs - this.#epochMs,
      datedWithinMs + offMsMax,
      terms,
      answeredAtMs,
    );
    this.#findings.check('honest price', isHonest, () => `${by} served ${symbol} at ${shown}`);
  }

  #sawStatus(
    body: { components: { ticker: string }; lastUpdatedAtMs: number | null; serverTimeMs: number },
    answer: Witnessed,
  ) {
    const { by, key, askedAtMs } = answer;
    const { ticker } = body.components;
    if (body.lastUpdatedAtMs !== null) this.#neverBack(`${key} status`, body.lastUpdatedAtMs, answer);
    const { heardAtMs, firstHeardAtMs, isQuiet } = this.#truth;
    const silentMs = askedAtMs - heardAtMs;
    const operationalMs = isQuiet ? operationalForQuietMs : operationalForMs;
    const isTrue =
      (ticker !== 'operational' || silentMs <= operationalMs) && (ticker === 'outage' || silentMs <= outageAfterMs);
    this.#findings.check(
      'true status',
      isTrue,
      () => `${by} says ${ticker} ${silentMs.toFixed(0)} ms after the last ticker`,
    );
    if (firstHeardAtMs !== undefined)
      this.#findings.check(
        'true status',
        ticker !== 'operational' || askedAtMs - firstHeardAtMs <= operationalMs,
        () =>
          `${by} says ${ticker} ${(askedAtMs - firstHeardAtMs).toFixed(0)} ms after the last word of the first source`,
      );
    const ageMs = body.serverTimeMs - (body.lastUpdatedAtMs ?? 0);
    const isOutage = ageMs > outageAfterMs;
    this.#findings.check(
      'true status',
      !isOutage || ticker === 'outage',
      () => `${by} says ${ticker} at an age of ${ageMs} ms`,
    );
  }

  /** Over all processes while they share what they served; on one process as long as it runs. */
  #neverBack(name: string, value: number, { by, askedAtMs, answeredAtMs }: Witnessed): void {
    const { oneBoardSinceMs, clocksSetAtMs, offMsMax, processes } = this.#truth;
    const last = this.#last.get(name);
    if (last === undefined || last.atMs <= askedAtMs) this.#last.set(name, { value, by, atMs: answeredAtMs });
    if (last === undefined || last.atMs > askedAtMs) return;
    const isShared = askedAtMs - oneBoardSinceMs > calmMs;
    // One that was started again knows what the store and Redis have kept, as another would.
    const isStarted = this.#truth.undisturbedSinceMs(by) >= last.atMs;
    const isSame = by === last.by && !isStarted;
    if (!isSame && !isShared) return;
    // Nobody else knows it then.
    if (processes === 1 && isStarted && this.#truth.wasUnsaved(last.atMs)) return;
    // One clock may be ahead and another one behind.
    const backMs = askedAtMs - clocksSetAtMs < resetWithinMs ? 2 * offMsMax : 0;
    this.#findings.check(
      'never back',
      value >= last.value - backMs,
      () => `${name.slice(-12)}: ${value} by ${by} after ${last.value} by ${last.by}`,
    );
  }
}
