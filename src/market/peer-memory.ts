import type Big from 'big.js';
import type { EpochMs } from '../ground/clock.ts';
import { type DecimalString, toBig } from './decimal.ts';
import type { MarketSource } from './market-source.ts';
import { areClose } from './quote.ts';

/** Memory of what the sources of a market said of one another, by their ids. Plain data. */
export interface PeerMemory {
  /** Pairs that agreed, and when they last did. */
  readonly agreed: readonly (readonly [one: string, other: string, at: EpochMs])[];
  /** Where each was when it last agreed closely, as bid plus ask, and when that was. */
  readonly close: readonly (readonly [id: string, level: DecimalString, at: EpochMs])[];
}

/** Sources that agreed within this time are not two assets of one name. */
const agreedForMs = 86_400_000;
/** The level of a close agreement says where a slow drift began, for this time. */
const closeForMs = 3_600_000;

/**
 * Notes which sources agree now, and where they do so closely.
 *
 * @param reach how far sources that agree are apart at most
 * @param closeReach the same of those that agree closely
 */
export function noteAgreements(sources: readonly MarketSource[], reach: Big, closeReach: Big, now: EpochMs): void {
  for (const [index, one] of sources.entries()) {
    for (const other of sources.slice(index + 1)) {
      const [level, otherLevel] = [one.quote?.level, other.quote?.level];
      if (level === undefined || otherLevel === undefined || !areClose(level, otherLevel, reach)) continue;
      remember(one, other, now);
      if (!areClose(level, otherLevel, closeReach)) continue;
      for (const { comparison, quote } of [one, other]) {
        comparison.closeLevel = quote!.level;
        comparison.closeAt = now;
      }
    }
  }
}

function remember(one: MarketSource, other: MarketSource, at: EpochMs): void {
  one.comparison.agreedAt.set(other, at);
  other.comparison.agreedAt.set(one, at);
}

/** Whether two sources agreed within the last day. */
export function hasAgreed(one: MarketSource, other: MarketSource, now: EpochMs): boolean {
  const at = one.comparison.agreedAt.get(other);
  return at !== undefined && now - at <= agreedForMs;
}

/** Gives where a source was when it last agreed closely, as long as that says anything. */
export function closeLevelOf({ comparison }: MarketSource, now: EpochMs): Big | undefined {
  const { closeLevel, closeAt } = comparison;
  return closeAt !== undefined && now - closeAt <= closeForMs ? closeLevel : undefined;
}

/** Gives what is remembered, for a restart and for other processes; `undefined` where nothing is. */
export function memoryOf(sources: readonly MarketSource[]): PeerMemory | undefined {
  const agreed = sources.flatMap((one, index) =>
    sources.slice(index + 1).flatMap((other): PeerMemory['agreed'] => {
      const at = one.comparison.agreedAt.get(other);
      return at === undefined ? [] : [[one.id, other.id, at]];
    }),
  );
  if (agreed.length === 0) return undefined;
  const close = sources.flatMap(({ id, comparison: { closeLevel, closeAt } }): PeerMemory['close'] =>
    closeLevel === undefined || closeAt === undefined ? [] : [[id, closeLevel.toFixed() as DecimalString, closeAt]],
  );
  return { agreed, close };
}

/** Takes over what was known before a restart, or is in another process, unless something later is known here. */
export function restoreMemory(sources: readonly MarketSource[], { agreed, close }: PeerMemory): void {
  const find = (id: string) => sources.find((source) => source.id === id);
  for (const [id, otherId, at] of agreed) {
    const [one, other] = [find(id), find(otherId)];
    if (one === undefined || other === undefined || one === other) continue;
    if (at > (one.comparison.agreedAt.get(other) ?? 0)) remember(one, other, at);
  }
  for (const [id, level, at] of close) {
    const comparison = find(id)?.comparison;
    if (comparison === undefined || at <= (comparison.closeAt ?? 0)) continue;
    comparison.closeLevel = toBig(level);
    comparison.closeAt = at;
  }
}
