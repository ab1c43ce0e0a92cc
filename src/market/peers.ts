import type Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import { Ceiling } from './ceiling.ts';
import { type Circumstances, deliversLive, levelIn } from './circumstances.ts';
import type { DecimalString } from './decimal.ts';
import type { PeerDoubt } from './doubts.ts';
import type { MarketSource } from './market-source.ts';
import { agreementsOf, type Deviating, judgeDeviations, type PeerVerdict } from './peer-judgement.ts';
import { closeLevelOf, hasAgreed, noteAgreements } from './peer-memory.ts';
import { areClose, bandAround, isWithin, levelOf, type PriceBand, type Quote, reachOf, SourceQuote } from './quote.ts';
import type { FeedPath } from './upstream.ts';

/** How the sources of a market are compared. */
export interface PeerRules {
  /** Sources further apart than this do not agree. */
  readonly disagreePercent: DecimalString;
  /** A source takes over only within this of the market's last good price, unless a third one agrees with it. */
  readonly jumpPercent: DecimalString;
  /** Sources that are further than this above or below the market's price are believed only after a while. */
  readonly ceilingPercent: DecimalString;
  /** How long that is. */
  readonly confirmAfterMs: number;
  /** How long a contradicted source must agree again. */
  readonly returnAfterMs: number;
}

/** The first price waits this long for a second source, and a contradicted one for those that are gone. */
const awaitedForMs = 2_000;
/** Sources that agree this many times better than they have to do so closely. */
const closeFactor = '3';
/** The same of one that came to another. */
const followFactor = '2';
/** Agreements are noted this often, and while all agree and nothing is doubted this often. */
const noteEveryMs = { disputed: 2_000, calm: 10_000 };

/**
 * Compares what the sources of one market quote, so that a price that others contradict is never the market's. Never
 * reads a clock.
 */
export class Peers {
  readonly #agreementReach: Big;
  readonly #closeReach: Big;
  readonly #followReach: Big;
  readonly #jumpReach: Big;
  readonly #ceiling: Ceiling;
  readonly #confirmAfterMs: number;
  readonly #returnAfterMs: number;
  readonly #sources: readonly MarketSource[];
  readonly #contradicted: () => void;
  #isOpen: boolean;
  /** Where all agree and nothing is doubted: nothing changes while every quote stays within. */
  #band: PriceBand | undefined;
  #firstQuotedMs: number | undefined;
  #notedMs = Number.NEGATIVE_INFINITY;

  /**
   * @param sources of the market, in order of preference
   * @param isOpen the market has a price already
   * @param contradicted called when others begin to contradict one
   */
  constructor(rules: PeerRules, sources: readonly MarketSource[], isOpen = false, contradicted = () => {}) {
    this.#agreementReach = reachOf(rules.disagreePercent);
    const apart = this.#agreementReach.minus(1);
    this.#closeReach = apart.div(closeFactor).plus(1);
    this.#followReach = apart.div(followFactor).plus(1);
    this.#jumpReach = reachOf(rules.jumpPercent);
    this.#ceiling = new Ceiling(reachOf(rules.ceilingPercent), this.#agreementReach);
    this.#confirmAfterMs = rules.confirmAfterMs;
    this.#returnAfterMs = rules.returnAfterMs;
    this.#sources = sources;
    this.#isOpen = isOpen;
    this.#contradicted = contradicted;
  }

  /** Prices may be made: live sources agree, all are live, or the wait for others is over. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether others are elsewhere. The operator can have accepted it all the same. */
  isApart({ comparison: { agreement } }: MarketSource): boolean {
    return agreement === 'split' || agreement === 'outvoted';
  }

  /** A source sent a ticker that is good in form. Returns what is doubted of it now. */
  quoted(source: MarketSource, quote: Quote, path: FeedPath, circumstances: Circumstances): PeerDoubt | undefined {
    if (source.quote?.isSameAs(quote, path) !== true) {
      const now = new SourceQuote(quote, path);
      if (source.quote?.bid !== now.bid || source.quote.ask !== now.ask) source.changes.note(circumstances.now);
      source.quote = now;
      if (this.#isCalm(source, now)) source.comparison.ownLevel = now;
      else {
        this.#band = undefined;
        this.#compare(circumstances);
      }
    }
    this.#isOpen ||= this.#sources.every(sendsLive) || this.#sources.some((each) => sendsLive(each) && agrees(each));
    return source.doubts.byPeers;
  }

  #isCalm({ comparison: { compared } }: MarketSource, quote: SourceQuote): boolean {
    const isPeerAsBefore = compared?.isPeer === (quote.path === 'live');
    return this.#band !== undefined && isPeerAsBefore && isWithin(this.#band, quote);
  }

  /**
   * A ticker of the source was taken: where nobody agrees with it, that is its level. Two that agreed once and came
   * apart keep the level that they had: one of them will be seen to have left it.
   */
  taken(source: MarketSource): void {
    const { comparison, doubts, quote } = source;
    const { agreement, ownLevel, agreedAt } = comparison;
    const cameApart = agreement === 'split' && ownLevel !== undefined && agreedAt.size > 0;
    if (!this.#isOpen || doubts.byPeers !== undefined || agreement === 'agrees' || cameApart) return;
    comparison.ownLevel = quote;
    // It went on by itself: that it is far from where they were close says nothing of who moved away.
    const { closeLevel } = comparison;
    if (closeLevel !== undefined && quote !== undefined && !areClose(quote.level, closeLevel, this.#followReach))
      comparison.closeLevel = undefined;
  }

  /**
   * Looks again: sources come and go, and time clears a doubt.
   *
   * @param awaited how many sources quote the market or may do so soon
   * @param nowMs monotonic
   */
  review(circumstances: Circumstances, awaited: number, nowMs: number): void {
    const isAnyQuoted = this.#sources.some(({ quote }) => quote !== undefined);
    if (isAnyQuoted) this.#firstQuotedMs ??= nowMs;
    this.#isOpen ||= this.#firstQuotedMs !== undefined && (awaited < 2 || nowMs - this.#firstQuotedMs >= awaitedForMs);
    const isCalm = this.#band !== undefined;
    if (nowMs - this.#notedMs >= (isCalm ? noteEveryMs.calm : noteEveryMs.disputed)) {
      this.#notedMs = nowMs;
      noteAgreements(this.#sources, this.#agreementReach, this.#closeReach, circumstances.now);
    }
    if (!isAnyQuoted || (isCalm && !this.#areOtherPeers(circumstances))) return;
    this.#compare(circumstances);
    this.#ceiling.settle(this.#sources, circumstances);
    // In a crash each can have been contradicted in turn: where none is left, those that agree make the price at once.
    const isAnyLeft = this.#sources.some(({ quote, doubts }) => quote !== undefined && doubts.byPeers === undefined);
    for (const source of this.#sources) {
      const { comparison, doubts } = source;
      if (doubts.byPeers === undefined) continue;
      if (agrees(source)) {
        comparison.agreesSinceMs ??= nowMs;
        if (!isAnyLeft || nowMs - comparison.agreesSinceMs >= this.#returnAfterMs) clear(source);
      } else if (comparison.agreement === 'alone') {
        this.#leftAlone(source, nowMs);
      }
    }
    this.#band = this.#bandOfAll();
  }

  /** Whoever contradicted it is gone, for longer than a new connection takes: its level and time judge it. */
  #leftAlone(source: MarketSource, nowMs: number): void {
    const { comparison, doubts } = source;
    const doubt = doubts.byPeers;
    if (doubt?.reason !== 'contradicted' || doubt.isOutvoted) return;
    comparison.aloneSinceMs ??= nowMs;
    if (nowMs - comparison.aloneSinceMs < awaitedForMs) return;
    clear(source);
    comparison.wasContradicted = true;
  }

  /** @returns `undefined` where a quote of one can change what is found of another */
  #bandOfAll(): PriceBand | undefined {
    const quotes: SourceQuote[] = [];
    for (const source of this.#sources) {
      const { quote, doubts, comparison } = source;
      if (doubts.byPeers !== undefined || comparison.acceptedLevel !== undefined) return undefined;
      if (quote === undefined) continue;
      if (!agrees(source) || comparison.ownLevel !== quote) return undefined;
      quotes.push(quote);
    }
    const [first, ...others] = quotes.map(({ level }) => level).sort((one, other) => one.cmp(other));
    const last = others.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const band = bandAround(first.plus(last).times('0.5'), this.#agreementReach);
    return quotes.every((quote) => isWithin(band, quote)) ? band : undefined;
  }

  /** The source counts as live: what it said over this connection before it did is its quote, unless it spoke again. */
  recall(source: MarketSource, quote: Quote): void {
    if (source.quote !== undefined) return;
    source.quote = new SourceQuote(quote, 'live');
    this.#band = undefined;
  }

  /** The operator says that a source is right where it is now. Without a doubt of it nothing changes. */
  accept(source: MarketSource): void {
    const doubt = source.doubts.byPeers;
    if (doubt === undefined) return;
    source.comparison.acceptedLevel = source.quote?.level ?? levelOf(doubt);
    clear(source);
  }

  /** Takes over what was doubted before a restart, or by another process. */
  restoreDoubt(source: MarketSource, doubt: PeerDoubt | undefined): void {
    source.doubts.restored(doubt);
    this.#band = undefined;
  }

  /** The source made the price before a restart, or in another process. */
  restoreLevel({ comparison }: MarketSource, quote: Quote): void {
    comparison.ownLevel = new SourceQuote(quote);
  }

  /**
   * Whether a source may take over: its quote, else its last price, is near the market's, another than that in use
   * agrees, or the operator does.
   */
  isNearMarket(source: MarketSource, { now, price, used }: Circumstances): boolean {
    const level = source.quote?.level ?? (source.ticker && levelOf(source.ticker));
    if (level === undefined || used === undefined || source === used || this.#isAccepted(source, level)) return true;
    const before = levelIn(price, used);
    if (before === undefined || areClose(level, before, this.#jumpReach)) return true;
    if (this.#isUnconfirmed(source, now)) return false;
    const supports = (other: MarketSource) =>
      other !== source && other !== used && other.isLive() === true && this.#isClose(level, other.quote?.level);
    return this.#sources.some(supports);
  }

  #compare(circumstances: Circumstances): void {
    const isSame = !this.#note(circumstances);
    // Most looks find what the last one found, and nothing in dispute.
    if (isSame && !this.#sources.some((source) => this.#isDisputed(source))) return;
    if (!isSame) this.#measure();
    // Those are peers again, and another may be the one that is elsewhere.
    if (this.#clearFollowed() && this.#note(circumstances)) this.#measure();
    const { used, price, now } = circumstances;
    const sources = this.#sources;
    const verdicts = judgeDeviations(
      sources.map((source) => deviatingOf(source, now)),
      {
        used: used && sources.indexOf(used),
        reference: () => levelIn(price, used),
        hasAgreed: (one, other) => hasAgreed(sources[one]!, sources[other]!, now),
        reach: this.#agreementReach,
      },
    );
    for (const [index, verdict] of verdicts.entries())
      if (verdict !== undefined) this.#settle(sources[index]!, verdict, now);
  }

  /** Returns whether anyone quotes something else than at the last comparison, or is a peer now or no longer. */
  #note(circumstances: Circumstances): boolean {
    this.#ceiling.note(this.#sources, circumstances);
    let isAnyNew = false;
    for (const source of this.#sources) {
      const { comparison, quote } = source;
      const isPeer = this.#isPeer(source, circumstances);
      if (comparison.compared?.level === quote?.level && comparison.compared?.isPeer === isPeer) continue;
      comparison.compared = quote && { level: quote.level, isPeer: isPeer === true };
      isAnyNew = true;
    }
    return isAnyNew;
  }

  #measure(): void {
    const compared = this.#sources.map(({ comparison }) => comparison.compared);
    for (const [index, agreement] of agreementsOf(compared, this.#agreementReach).entries())
      this.#sources[index]!.comparison.agreement = agreement;
  }

  #areOtherPeers(circumstances: Circumstances): boolean {
    return this.#sources.some((each) => each.comparison.compared?.isPeer !== this.#isPeer(each, circumstances));
  }

  /**
   * Whether others are compared with it; `undefined` while it says nothing. A contradicted one is no peer by itself.
   */
  #isPeer(source: MarketSource, circumstances: Circumstances): boolean | undefined {
    if (source.quote === undefined) return undefined;
    if (!deliversLive(source, circumstances) || this.#isUnconfirmed(source, circumstances.now)) return false;
    return !source.doubts.isContradicted || this.#isBacked(source, circumstances);
  }

  /** In a crash each can have been contradicted in turn: of those, two that agree again count. */
  #isBacked(source: MarketSource, circumstances: Circumstances): boolean {
    return this.#sources.some((other) => {
      const isContradicted = other !== source && other.doubts.isContradicted && deliversLive(other, circumstances);
      return isContradicted && this.#isClose(other.quote?.level, source.quote?.level);
    });
  }

  /**
   * Whether it says, for less than a level has to hold, what nobody takes from one source: it can be one of two that
   * lie.
   */
  #isUnconfirmed({ comparison: { awaySince } }: MarketSource, now: EpochMs): boolean {
    return awaySince !== undefined && now - awaySince < this.#confirmAfterMs;
  }

  /**
   * Contradicted sources that the others came to were right. Returns whether there are any. One at the edge of the band
   * agrees at times, though nobody came to it.
   */
  #clearFollowed(): boolean {
    const isFollowed = (source: MarketSource) => {
      const { doubts, comparison, quote } = source;
      if (!doubts.isContradicted || !agrees(source) || !this.#isClose(comparison.doubtedLevel, quote?.level))
        return false;
      return this.#sources.some((other) => other !== source && this.#hasCome(other, source));
    };
    const followed = this.#sources.filter(isFollowed);
    for (const source of followed) clear(source);
    return followed.length > 0;
  }

  /** Whether another is near the source now, and near where the source was when it was doubted. */
  #hasCome({ comparison: { compared } }: MarketSource, { comparison: { doubtedLevel }, quote }: MarketSource): boolean {
    if (quote === undefined || doubtedLevel === undefined || compared?.isPeer !== true) return false;
    const { level } = compared;
    return areClose(quote.level, level, this.#followReach) && areClose(doubtedLevel, level, this.#followReach);
  }

  #isDisputed(source: MarketSource): boolean {
    return source.doubts.byPeers !== undefined || this.isApart(source);
  }

  #settle(source: MarketSource, { agreement, reason, isCleared }: PeerVerdict, now: EpochMs): void {
    if (isCleared) clear(source);
    if (reason === undefined) {
      this.#undisputed(source);
      return;
    }
    const { comparison, doubts } = source;
    const { bid, ask, level } = source.quote!;
    if (this.#isAccepted(source, level)) return;
    comparison.agreesSinceMs = undefined;
    comparison.aloneSinceMs = undefined;
    const before = doubts.byPeers;
    const isOutvoted = agreement === 'outvoted' || before?.isOutvoted === true;
    const isSame =
      before?.reason === reason && before.bid === bid && before.ask === ask && before.isOutvoted === isOutvoted;
    if (isSame) return;
    if (before === undefined) comparison.doubtedLevel = level;
    if (reason === 'contradicted' && before?.reason !== reason) this.#contradicted();
    doubts.compared({ reason, since: before?.since ?? now, bid, ask, isOutvoted });
  }

  /** Agreement ends what was not comparable at once, and what was contradicted after a while. */
  #undisputed(source: MarketSource): void {
    const { comparison, doubts, quote } = source;
    if (comparison.agreement !== 'agrees') {
      comparison.agreesSinceMs = undefined;
      return;
    }
    if (doubts.byPeers?.reason === 'not_comparable') clear(source);
    comparison.acceptedLevel = undefined;
    comparison.wasContradicted = false;
    if (doubts.byPeers === undefined) comparison.ownLevel = quote;
  }

  #isAccepted({ comparison: { acceptedLevel } }: MarketSource, level: Big): boolean {
    return acceptedLevel !== undefined && areClose(level, acceptedLevel, this.#jumpReach);
  }

  #isClose(one: Big | undefined, other: Big | undefined): boolean {
    return one !== undefined && other !== undefined && areClose(one, other, this.#agreementReach);
  }
}

function clear({ comparison, doubts }: MarketSource): void {
  comparison.doubtedLevel = undefined;
  comparison.agreesSinceMs = undefined;
  comparison.aloneSinceMs = undefined;
  comparison.wasContradicted = false;
  doubts.compared(undefined);
}

function deviatingOf(source: MarketSource, now: EpochMs): Deviating | undefined {
  const { quote, comparison, doubts, changes } = source;
  const { agreement, ownLevel } = comparison;
  if (quote === undefined || agreement === undefined) return undefined;
  return {
    agreement,
    level: quote.level,
    ownLevel: ownLevel?.level,
    closeLevel: closeLevelOf(source, now),
    wasContradicted: comparison.wasContradicted,
    reason: doubts.byPeers?.reason,
    isOutvoted: doubts.byPeers?.isOutvoted === true,
    isStill: changes.isStill(now),
    isBusy: changes.isBusy(now),
  };
}

function sendsLive({ quote }: MarketSource): boolean {
  return quote?.path === 'live';
}

function agrees({ comparison: { agreement } }: MarketSource): boolean {
  return agreement === 'agrees';
}
