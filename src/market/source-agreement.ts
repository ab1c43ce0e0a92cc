import type Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import type { DecimalString } from './decimal.ts';
import { bandAround, isWithin, levelOf, type PriceBand, type Quote } from './quote.ts';
import { areClose, reachOf, type Standing, standingsOf, type Voice } from './source-standing.ts';
import type { FeedPath } from './upstream.ts';

/** How the sources of a market are compared. */
export interface AgreementRules {
  /** Sources further apart than this do not agree. */
  readonly disagreePercent: DecimalString;
  /** A source takes over only within this of the market's last good price, unless a third one agrees with it. */
  readonly jumpPercent: DecimalString;
  /** How long a contradicted source must agree again. */
  readonly returnAfterMs: number;
}

export const sourceDoubtReasons = ['contradicted', 'not_comparable'] as const;

/**
 * Why a source is kept from making a price by what others say. `contradicted`: the others are elsewhere, or it left its own level and
 * the other did not. `not_comparable`: it and the one in use never agreed; often two assets of one name.
 */
export type SourceDoubtReason = (typeof sourceDoubtReasons)[number];

/** A doubt of a source by comparison. Plain data; the same object as long as it says the same. */
export interface SourceDoubt extends Quote {
  readonly reason: SourceDoubtReason;
  readonly since: EpochMs;
  /** Several others contradict it: silence of theirs does not clear it. */
  readonly isOutvoted: boolean;
}

/** Doubts of the sources of one market, by their ids. */
export type SourceDoubts = readonly (readonly [string, SourceDoubt])[];

/** A source's word, taken or not. */
class Said implements Quote {
  readonly bid: DecimalString;
  readonly ask: DecimalString;
  readonly path: FeedPath | undefined;
  #level: Big | undefined;

  constructor({ bid, ask }: Quote, path?: FeedPath) {
    this.bid = bid;
    this.ask = ask;
    this.path = path;
  }

  /** Bid plus ask. */
  get level(): Big {
    this.#level ??= levelOf(this);
    return this.#level;
  }
}

interface Member {
  said: Said | undefined;
  /** The same as it was last compared. */
  voice: Voice | undefined;
  standing: Standing | undefined;
  /** Where it was when it last agreed with others, or was taken while nobody agreed with it. */
  ownLevel: Said | undefined;
  doubt: SourceDoubt | undefined;
  /** Where it was when the doubt began. */
  doubtedLevel: Big | undefined;
  /** Since when a contradicted source agrees again, by the monotonic clock. */
  agreesSinceMs: number | undefined;
  /** The level at which the operator accepted it. */
  acceptedLevel: Big | undefined;
}

/** The circumstances at one instant that the agreement is asked in. */
export interface Hearing {
  readonly now: EpochMs;
  /** Whether a source delivers the market live and trades it; `undefined` while that was not reviewed. */
  readonly isLive: (index: number) => boolean | undefined;
  /** The market's price, while that is recent. */
  readonly price: Quote | undefined;
  /** The source that makes the price. */
  readonly used: number | undefined;
}

type DoubtListener = (index: number, doubt: SourceDoubt | undefined, before: SourceDoubt | undefined) => void;

/** The first price waits this long for a second source. */
const firstWaitMs = 2_000;

/**
 * Compares what the sources of one market say, so that a price that others contradict is never the market's. Indexes are those of the
 * market's list of sources. Never reads a clock.
 */
export class SourceAgreement {
  readonly #agreementReach: Big;
  readonly #jumpReach: Big;
  readonly #returnAfterMs: number;
  readonly #members: readonly Member[];
  #isOpen = false;
  /** Where all agree and nothing is doubted: nothing changes while every word stays within. */
  #band: PriceBand | undefined;
  #firstHeardMs: number | undefined;
  readonly #changed: DoubtListener;

  /** @param changed called when a doubt begins, gets another reason or ends, but not for what is restored */
  constructor(rules: AgreementRules, sources: number, changed: DoubtListener = () => {}) {
    this.#agreementReach = reachOf(rules.disagreePercent);
    this.#jumpReach = reachOf(rules.jumpPercent);
    this.#returnAfterMs = rules.returnAfterMs;
    this.#changed = changed;
    this.#members = Array.from({ length: sources }, () => ({
      said: undefined,
      voice: undefined,
      standing: undefined,
      ownLevel: undefined,
      doubt: undefined,
      doubtedLevel: undefined,
      agreesSinceMs: undefined,
      acceptedLevel: undefined,
    }));
  }

  /** Takes over what is known of the same sources in another list. @param from see `relisted` @param isOpen the market has a price already */
  adopt(before: SourceAgreement | undefined, from: readonly number[], isOpen: boolean): void {
    this.#isOpen = before?.isOpen ?? isOpen;
    const members = before === undefined ? [] : before.#members;
    for (const [index, old] of from.entries()) Object.assign(this.#members[index]!, members[old], { voice: undefined });
  }

  /** Prices may be made: live sources agree, all are live, or the wait for others is over. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isAnyDoubted(): boolean {
    return this.#members.some(({ doubt }) => doubt !== undefined);
  }

  /** Why a source makes no price; `undefined` when nothing speaks against it. */
  doubt(index: number): SourceDoubt | undefined {
    return this.#members[index]?.doubt;
  }

  /** Whether others are elsewhere. The operator can have accepted it all the same. */
  isApart(index: number): boolean {
    return ['divided', 'outvoted'].includes(this.#members[index]?.standing ?? 'alone');
  }

  /** Gives what a source says now, doubted or not. */
  said(index: number): Quote | undefined {
    return this.#members[index]?.said;
  }

  /** A source sent a ticker that is good in form. Returns what is doubted of it now. */
  heard(index: number, { bid, ask }: Quote, path: FeedPath, hearing: Hearing): SourceDoubt | undefined {
    const member = this.#members[index]!;
    const { said } = member;
    const isSame = said !== undefined && said.bid === bid && said.ask === ask && said.path === path;
    if (!isSame) {
      const now = new Said({ bid, ask }, path);
      member.said = now;
      if (this.#keepsCalm(member, now)) member.ownLevel = now;
      else {
        this.#band = undefined;
        this.#compare(hearing);
      }
    }
    this.#isOpen ||= this.#members.every(isLive) || this.#members.some((each) => isLive(each) && isAgreeing(each));
    return member.doubt;
  }

  #keepsCalm({ voice }: Member, said: Said): boolean {
    const isSameWitness = voice?.isWitness === (said.path === 'live');
    return this.#band !== undefined && isSameWitness && isWithin(this.#band, said);
  }

  /** A ticker of the source was taken: where nobody agrees with it, that is its level. */
  taken(index: number): void {
    const member = this.#members[index]!;
    if (this.#isOpen && member.doubt === undefined && member.standing !== 'agrees') member.ownLevel = member.said;
  }

  /**
   * Looks again: sources come and go, and time clears a doubt.
   *
   * @param listed how many sources list the market
   * @param nowMs monotonic
   */
  review(hearing: Hearing, listed: number, nowMs: number): void {
    const isAnyHeard = this.#members.some(({ said }) => said !== undefined);
    if (isAnyHeard) this.#firstHeardMs ??= nowMs;
    this.#isOpen ||= this.#firstHeardMs !== undefined && (listed < 2 || nowMs - this.#firstHeardMs >= firstWaitMs);
    if (!isAnyHeard || (this.#band !== undefined && !this.#areOtherWitnesses(hearing))) return;
    this.#compare(hearing);
    // In a crash each can have been contradicted in turn: where none is left, those that agree make the price at once.
    const isAnyLeft = this.#members.some(({ said, doubt }) => said !== undefined && doubt === undefined);
    for (const [index, member] of this.#members.entries()) {
      if (member.doubt === undefined || member.standing !== 'agrees') continue;
      member.agreesSinceMs ??= nowMs;
      if (!isAnyLeft || nowMs - member.agreesSinceMs >= this.#returnAfterMs) this.#clear(index);
    }
    this.#band = this.#bandOfAll();
  }

  /** @returns `undefined` where a word of one can change what is found of another */
  #bandOfAll(): PriceBand | undefined {
    const words: Said[] = [];
    for (const { said, standing, doubt, ownLevel, acceptedLevel } of this.#members) {
      if (doubt !== undefined || acceptedLevel !== undefined) return undefined;
      if (said !== undefined && (standing !== 'agrees' || ownLevel !== said)) return undefined;
      if (said !== undefined) words.push(said);
    }
    const [first, ...others] = words.map(({ level }) => level).sort((one, other) => one.cmp(other));
    const last = others.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const band = bandAround(first.plus(last).times('0.5'), this.#agreementReach);
    return words.every((said) => isWithin(band, said)) ? band : undefined;
  }

  /** The source's connection is lost or its listing ended: what it said counts no longer. */
  forget(index: number): void {
    this.#members[index]!.said = undefined;
  }

  /** The source counts as live: what it said over this connection before it did is its word, unless it spoke again. */
  recall(index: number, quote: Quote): void {
    const member = this.#members[index]!;
    if (member.said !== undefined) return;
    member.said = new Said(quote, 'live');
    this.#band = undefined;
  }

  /** The operator says that a source is right where it is now. Without a doubt of it nothing changes. */
  accept(index: number): void {
    const member = this.#members[index]!;
    if (member.doubt === undefined) return;
    member.acceptedLevel = member.said?.level ?? levelOf(member.doubt);
    this.#clear(index);
  }

  /** Takes over what was doubted before a restart, or by another process. */
  restoreDoubt(index: number, doubt: SourceDoubt | undefined): void {
    this.#members[index]!.doubt = doubt;
    this.#band = undefined;
  }

  /** The source made the price before a restart, or in another process. */
  restoreLevel(index: number, quote: Quote): void {
    this.#members[index]!.ownLevel = new Said(quote);
  }

  /** Whether a source may take over: its word, else its `own` last price, is near the market's, another than that in use agrees, or the operator does. */
  isNearMarket(index: number, { price, used, isLive }: Hearing, own?: Quote): boolean {
    const level = this.#members[index]?.said?.level ?? (own && levelOf(own));
    if (level === undefined || used === undefined || index === used || this.#isAccepted(index, level)) return true;
    const before = this.#levelOf(price, used);
    if (before === undefined || areClose(level, before, this.#jumpReach)) return true;
    const agrees = ({ said }: Member) => said !== undefined && this.#areClose(level, said.level);
    return this.#members.some((member, at) => at !== index && at !== used && isLive(at) === true && agrees(member));
  }

  #compare(hearing: Hearing): void {
    const isSame = !this.#listen(hearing);
    // Most looks find what the last one found, and nothing in dispute.
    if (isSame && !this.#members.some(isDisputed)) return;
    if (!isSame) {
      const voices = this.#members.map(({ voice }) => voice);
      for (const [index, standing] of standingsOf(voices, this.#agreementReach).entries())
        this.#members[index]!.standing = standing;
    }
    const leavers = this.#leavers(hearing);
    for (const [index, { standing }] of this.#members.entries())
      if (standing !== undefined) this.#settle(index, standing, leavers.get(index), hearing.now);
  }

  /** Returns whether anyone says something else than at the last comparison. */
  #listen(hearing: Hearing): boolean {
    let isAnyNew = false;
    for (const [index, member] of this.#members.entries()) {
      const { said, voice } = member;
      const isWitness = this.#isWitness(index, hearing);
      if (voice?.level === said?.level && voice?.isWitness === isWitness) continue;
      member.voice = said && { level: said.level, isWitness: isWitness === true };
      isAnyNew = true;
    }
    return isAnyNew;
  }

  #isWitness(index: number, { isLive }: Hearing): boolean | undefined {
    const { said } = this.#members[index]!;
    return said && (isLive(index) ?? said.path === 'live');
  }

  #areOtherWitnesses(hearing: Hearing): boolean {
    return this.#members.some(({ voice }, index) => voice?.isWitness !== this.#isWitness(index, hearing));
  }

  /**
   * Picks, of the sources that nobody agrees with, those that left their own level, or, where none alone did, all but the one in use. One that
   * is alone among the live ones is a party too: those that are only polled are no witnesses against it.
   */
  #leavers({ price, used }: Hearing): ReadonlyMap<number, SourceDoubtReason> {
    if (!this.#members.some(({ standing }) => standing === 'divided')) return new Map();
    const divided = this.#members.flatMap(({ standing }, index) => (standing === 'divided' ? [index] : []));
    // One that is not comparable is no party: it says nothing of the one in use, which is judged as if it were alone.
    const parties = this.#members.flatMap(({ standing, doubt }, index) => {
      const isParty = doubt?.reason !== 'not_comparable';
      return isParty && (standing === 'divided' || standing === 'alone') ? [index] : [];
    });
    const hasLeft = (index: number) => {
      const { said, ownLevel } = this.#members[index]!;
      const before = ownLevel?.level ?? this.#levelOf(price, used);
      return before !== undefined && !this.#areClose(said!.level, before);
    };
    const left = parties.filter(hasLeft);
    if (left.length > 0 && left.length < parties.length) {
      const reasonOf = (index: number) =>
        this.#members[index]!.ownLevel === undefined ? 'not_comparable' : 'contradicted';
      return new Map(divided.filter((index) => left.includes(index)).map((index) => [index, reasonOf(index)]));
    }
    const leader = used !== undefined && parties.includes(used) ? used : parties[0];
    return new Map(divided.filter((index) => index !== leader).map((index) => [index, 'not_comparable']));
  }

  #settle(index: number, standing: Standing, left: SourceDoubtReason | undefined, now: EpochMs): void {
    const member = this.#members[index]!;
    const { said, doubt: before } = member;
    const wasContradicted = left !== undefined && before?.reason === 'contradicted';
    const reason = standing === 'outvoted' || wasContradicted ? 'contradicted' : left;
    if (reason === undefined) {
      this.#undisputed(index, standing);
      return;
    }
    if (this.#isAccepted(index, said!.level)) return;
    const { bid, ask } = said!;
    member.agreesSinceMs = undefined;
    const isOutvoted = standing === 'outvoted' || before?.isOutvoted === true;
    const isSame =
      before?.reason === reason && before.bid === bid && before.ask === ask && before.isOutvoted === isOutvoted;
    if (isSame) return;
    if (before === undefined) member.doubtedLevel = said!.level;
    member.doubt = { reason, since: before?.since ?? now, bid, ask, isOutvoted };
    if (before?.reason !== reason) this.#changed(index, member.doubt, before);
  }

  /** Agreement ends what was not comparable at once, and what was contradicted after a while, unless the others came to it. */
  #undisputed(index: number, standing: Standing): void {
    const member = this.#members[index]!;
    const { doubt, said } = member;
    if (standing !== 'agrees') {
      member.agreesSinceMs = undefined;
      // Whoever contradicted it is gone: its level and time judge it.
      if (standing === 'alone' && doubt?.reason === 'contradicted' && !doubt.isOutvoted) this.#clear(index);
      return;
    }
    const haveOthersCome = member.doubtedLevel !== undefined && this.#areClose(said!.level, member.doubtedLevel);
    if (doubt?.reason === 'not_comparable' || haveOthersCome) this.#clear(index);
    member.acceptedLevel = undefined;
    if (member.doubt === undefined) member.ownLevel = said;
  }

  /** The level of the market's price, which mostly is what the source in use says. */
  #levelOf(price: Quote | undefined, used: number | undefined): Big | undefined {
    const said = this.#members[used ?? -1]?.said;
    if (price === undefined) return undefined;
    return said?.bid === price.bid && said.ask === price.ask ? said.level : levelOf(price);
  }

  #isAccepted(index: number, level: Big): boolean {
    const { acceptedLevel } = this.#members[index]!;
    return acceptedLevel !== undefined && areClose(level, acceptedLevel, this.#jumpReach);
  }

  #areClose(one: Big, other: Big): boolean {
    return areClose(one, other, this.#agreementReach);
  }

  #clear(index: number): void {
    const member = this.#members[index]!;
    const before = member.doubt;
    member.doubt = undefined;
    member.doubtedLevel = undefined;
    member.agreesSinceMs = undefined;
    if (before !== undefined) this.#changed(index, undefined, before);
  }
}

function isDisputed({ doubt, standing }: Member): boolean {
  return doubt !== undefined || standing === 'divided' || standing === 'outvoted';
}

function isLive({ said }: Member): boolean {
  return said?.path === 'live';
}

function isAgreeing({ standing }: Member): boolean {
  return standing === 'agrees';
}
