import type { RateOutcome } from '../src/market/rate-law.ts';
import { rateOf } from './alarms/fixings.ts';
import { defaults } from './alarms/judged-market.ts';
import { apart, JudgedRate } from './alarms/judged-rate.ts';
import { type RateSituation, rateSituations, type Said } from './alarms/rate-situations.ts';
import type { Section } from './report/section.ts';
import type { Scope } from './scope.ts';

interface Moment {
  readonly said: Said;
  readonly outcome: RateOutcome | undefined;
  readonly reason: string;
  readonly served: string | undefined;
  readonly right: string;
}

/** Shows what clients get on days when a rate moves or lies. */
export async function rateDays(_scope: Scope): Promise<Section> {
  const played = rateSituations.map((situation) => ({ situation, moments: momentsOf(situation) }));
  return {
    title: 'Rates on extreme days',
    meaning: `Units of the currency for one euro, with the default bounds: when something changes, what is said, and what converted prices are made with from then on; in UTC. Fixings are the reference rates of the European Central Bank, taken as published at 13:30 and repeated by the second source at 15:00; nobody accepts anything. A day is shown as a doubt begins, changes or ends.`,
    columns: ['situation', 'at', 'by', 'says', 'is', 'served', 'right', '% off'],
    rows: played.flatMap(({ situation, moments }) =>
      moments.filter((each, index) => isNews(each, moments[index - 1])).map((each) => rowOf(situation, each)),
    ),
    bars: [],
    figures: played.map(({ situation: { title }, moments }) => ({ title, moments })),
  };
}

function momentsOf({ said, right }: RateSituation): readonly Moment[] {
  const first = said.find(({ by }) => by === 'source')!;
  const rate = new JudgedRate(defaults, rateOf(first.mid, 'source', first.atMs, first.date));
  return said.map((each) => {
    const { atMs, by, mid, date } = each;
    const read = rateOf(mid, by, atMs, date);
    const outcome = by === 'source' ? rate.read(read) : rate.compared(read);
    const served = rate.servedAt(atMs)?.mid;
    return { said: each, outcome, reason: rate.held?.reason ?? '', served, right: right(atMs) };
  });
}

function isNews(moment: Moment, before: Moment | undefined): boolean {
  if (before === undefined) return true;
  return moment.reason !== before.reason || moment.served !== before.served;
}

function rowOf({ title }: RateSituation, { said, outcome, reason, served, right }: Moment): string[] {
  const is = outcome === 'held' ? `held (${reason})` : (outcome ?? 'noted');
  const at = new Date(said.atMs).toISOString().slice(0, 16).replace('T', ' ');
  const off = served === undefined ? '' : apart(rateOf(served, 'served', 0), rateOf(right, 'right', 0)).toFixed(1);
  return [title, at, said.by, said.mid, is, served ?? 'none', right, off];
}
