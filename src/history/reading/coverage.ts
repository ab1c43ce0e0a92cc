import type { EpochMs } from '../../ground/clock.ts';
import { type FactRow, type Gap, type GapFact, gapsIn, type PublishingFact } from '../segment/rows.ts';

/** Facts of one chain that say where it has the record. */
export interface ChainFacts {
  readonly chain: number;
  /** Its facts of `breakKinds`, in order. */
  readonly breaks: readonly FactRow[];
  /** The instant of its first row that was not deleted. */
  readonly begin: EpochMs;
  /** The last instant up to which it is known to be stored. */
  readonly until: EpochMs;
  /**
   * Whether its process lives, as far as is known; `undefined` where it gives no signs and others do: its last row is
   * its end.
   */
  readonly isAlive: boolean | undefined;
}

/** A span in which one chain has what its process published: from `from` on, before `to`. */
export interface Stretch {
  readonly chain: number;
  readonly from: number;
  readonly to: number;
  /**
   * The chain with the greatest rank speaks for the span: the one that began last to make prices for all, else for
   * itself alone, else the one that took them from others for longest, else what was stored last before a standstill or
   * is assumed to go on. What is alone ranks by a millionth.
   */
  readonly rank: number;
}

/**
 * Spans of all chains, of which one after the other speaks for all: the processes that share a record publish the same.
 */
export class Coverage {
  /**
   * Spans in which something is lacking: where no chain has the record, and where a process lost answers of its own.
   */
  readonly gaps: readonly Gap[];
  /** Whoever speaks first. */
  readonly #stretches: readonly Stretch[];

  constructor(chains: readonly ChainFacts[]) {
    this.#stretches = chains.flatMap(stretchesOf).sort((one, other) => other.rank - one.rank);
    const gaps = chains.flatMap(gapsOf);
    const stopped = gaps.filter(({ reason }) => reason === 'stopped');
    const others = uncovered(this.#stretches).flatMap((span) => stopped.flatMap((gap) => common(span, gap) ?? []));
    this.gaps = [
      ...gaps.filter(({ reason }) => reason !== 'stopped'),
      ...new Map(others.map((gap) => [gap.from, gap])).values(),
    ].sort((one, other) => one.from - other.from);
  }

  /** The chains that have an instant, the one that speaks for it first. */
  chainsAt(at: EpochMs): readonly number[] {
    return this.#stretches.filter(({ from, to }) => from <= at && at < to).map(({ chain }) => chain);
  }

  /** The parts of a span that are in the record, in order, each with the chain that speaks for it. */
  parts({ from, to }: Pick<Stretch, 'from' | 'to'>): readonly Omit<Stretch, 'rank'>[] {
    const within = this.#stretches.filter((each) => each.from < to && each.to > from);
    const edges = [from, to, ...within.flatMap((each) => [each.from, each.to])].filter(
      (edge) => edge >= from && edge <= to,
    );
    const parts: { chain: number; from: number; to: number }[] = [];
    const ordered = [...new Set(edges)].sort((one, other) => one - other);
    for (const [index, edge] of ordered.slice(0, -1).entries()) {
      const next = ordered[index + 1]!;
      const chain = within.find((each) => each.from <= edge && each.to > edge)?.chain;
      const last = parts.at(-1);
      if (chain === undefined) continue;
      if (last?.chain === chain && last.to === edge) last.to = next;
      else parts.push({ chain, from: edge, to: next });
    }
    return parts;
  }

  /** Where no chain has what was published. */
  uncovered(): readonly Gap[] {
    return uncovered(this.#stretches).map((span) => {
      const known = this.gaps.find((gap) => common(span, gap) !== undefined);
      return { ...span, reason: known?.reason ?? 'silent', servings: known?.servings };
    });
  }
}

/** Below the rank of all that is known to have held. */
const lowest = Number.MIN_SAFE_INTEGER;

function stretchesOf({ chain, breaks, begin, until, isAlive }: ChainFacts): Stretch[] {
  const stretches: Stretch[] = [];
  let open: { from: number; startedAt: number; publishing: PublishingFact } | undefined =
    breaks[0]?.kind === 'process' ? undefined : { from: begin, startedAt: begin, publishing: false };
  const end = (to: number) => {
    if (open === undefined) return;
    const { from, startedAt, publishing } = open;
    const ranks = { true: from, alone: from / 1e6, false: -startedAt };
    const rank = typeof publishing === 'object' ? lowest + from : ranks[`${publishing}`];
    stretches.push({ chain, from: Math.max(from, begin), to, rank });
  };
  for (const { kind, text, at: notedAt } of breaks) {
    if (kind !== 'process' && kind !== 'stop' && kind !== 'publishing') continue;
    const told = kind === 'publishing' && (JSON.parse(text) as PublishingFact);
    // A standstill is noted after it.
    const at = typeof told === 'object' ? told.since : notedAt;
    end(kind === 'stop' ? at + 1 : at);
    const startedAt = (kind === 'publishing' && open?.startedAt) || at;
    open = kind === 'stop' ? undefined : { from: at, startedAt, publishing: told };
  }
  end(until + 1);
  // What a living process published last may be on its machine alone.
  if (open !== undefined && isAlive === true)
    stretches.push({ chain, from: until + 1, to: Infinity, rank: lowest + until });
  return cutsIn(breaks)
    .reduce(without, stretches)
    .filter(({ from, to }) => from < to);
}

/** The gaps of a chain as they cut it: what a process that was killed left lasts until the next one had begun. */
function cutsIn(breaks: readonly FactRow[]): { from: number; to: number }[] {
  let startedAt = 0;
  return breaks.flatMap(({ kind, at, text }) => {
    if (kind === 'process') startedAt = at;
    if (kind !== 'gap') return [];
    const { from, to, reason } = JSON.parse(text) as GapFact;
    return [{ from: from + 1, to: reason === 'killed' ? Math.max(to, startedAt) : to }];
  });
}

function without(stretches: Stretch[], cut: { readonly from: number; readonly to: number }): Stretch[] {
  return stretches.flatMap((each) =>
    [
      { ...each, to: Math.min(each.to, cut.from) },
      { ...each, from: Math.max(each.from, cut.to) },
    ].filter(({ from, to }) => from < to),
  );
}

function gapsOf({ breaks, until, isAlive }: ChainFacts): Gap[] {
  const gaps = gapsIn(breaks);
  const isStopped = gaps.at(-1)?.reason === 'stopped' && gaps.at(-1)?.to === undefined;
  return isAlive === false && !isStopped
    ? [...gaps, { from: until, to: undefined, reason: 'silent', servings: undefined }]
    : gaps;
}

type Span = Pick<Gap, 'from' | 'to'>;

/**
 * Gives the spans between stretches and after the last, with the bounds of a gap: recorded are `from` and `to`, and
 * nothing between.
 */
function uncovered(stretches: readonly Stretch[]): Span[] {
  const spans: Span[] = [];
  const [first, ...rest] = stretches.toSorted((one, other) => one.from - other.from);
  let end = first?.to ?? Infinity;
  for (const { from, to } of rest) {
    if (from > end) spans.push({ from: (end - 1) as EpochMs, to: from as EpochMs });
    end = Math.max(end, to);
  }
  if (end !== Infinity) spans.push({ from: (end - 1) as EpochMs, to: undefined });
  return spans;
}

/** Gives the common part of a span and a gap, as a gap. */
function common({ from, to }: Span, gap: Gap): Gap | undefined {
  const end = Math.min(to ?? Infinity, gap.to ?? Infinity);
  const begin = Math.max(from, gap.from);
  return begin < end
    ? { ...gap, from: begin as EpochMs, to: end === Infinity ? undefined : (end as EpochMs) }
    : undefined;
}
