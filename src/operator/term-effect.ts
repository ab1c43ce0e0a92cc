import type { Static } from 'typebox';
import { isoInstant } from '../contract/instant.ts';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import { percentChange, toBig } from '../market/decimal.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';
import type { Markets } from '../market/markets.ts';
import { type MarketTerms, type Term, termsAt } from '../market/terms.ts';
import { type NewTerm, termLeadMs } from '../store/terms.ts';
import { count, instantFields, instants, line, listOf, named, nullable, referenceTo } from './fields.ts';
import { MarketTermsSchema, marketTermsView, termOf, termValues } from './term.ts';
import { unusualRates } from './unusual-rates.ts';

const PricesSchema = named('PricePair', 'Prices of clients.', {
  buyPrice: part.decimal('What a client pays.', '84631.2'),
  sellPrice: part.decimal('What a client receives.', '83788.8'),
});

const ChangeSchema = named('PriceChange', 'The prices of a market at its present ask and bid, before and after.', {
  symbol: part.symbol('The market.', 'BTCEUR'),
  before: nullable(PricesSchema, 'Without the term; null where it would have no price.'),
  after: nullable(PricesSchema, 'With it.'),
  buyChangePercent: nullable(part.percent('In percent.', '-0.10'), 'By how much the buy price changes.'),
  sellChangePercent: nullable(part.percent('In percent.', '0.10'), 'By how much the sell price changes.'),
  terms: referenceTo(MarketTermsSchema, 'What holds with it.'),
});

export const TermEffectSchema = named('TermEffect', 'What a new term would change.', {
  ...instantFields('from', 'When it would begin.'),
  affected: count('Markets whose terms it changes.', 42),
  changes: listOf(ChangeSchema, 'Their prices, at most 50: those that change most first.', 50),
  concerns: listOf(
    line('The effect, in a sentence.', 'A fee of 50 % is unusual.'),
    'Why it may be a mistake: to be confirmed. Empty where nothing is unusual.',
    8,
  ),
});

export type TermEffect = Static<typeof TermEffectSchema>;
type Change = Static<typeof ChangeSchema>;

const changesShown = 50;
/** A start so shortly before is meant as now. */
const pastMs = 60_000;
const unusualMove = '2';

/** Why a term cannot be meant so; `undefined` when it can. */
export function termRefusal(book: Markets, term: NewTerm) {
  const { scope, subject } = term;
  if (subject === undefined) return undefined;
  const markets = marketsOf(book, term);
  if (markets.length === 0) {
    const what = scope === 'market' ? `There is no market ${subject}.` : `No market is quoted in ${subject}.`;
    return { field: 'subject', message: what } as const;
  }
  const needsConversion = (term.marginPercent ?? term.pricePrecision) !== undefined;
  if (!needsConversion || markets.some(({ isConverted }) => isConverted)) return undefined;
  const message = `${subject} is not converted: it has no margin, and its precision is the exchange's.`;
  return { field: 'subject', message } as const;
}

/** Works out what a new term would change, at the present ask and bid of the exchange. */
export function termEffect(markets: Markets, draft: NewTerm, now: EpochMs): TermEffect {
  const from = Math.max(draft.from, now + termLeadMs) as EpochMs;
  const terms = markets.terms.all();
  const withDraft = [...terms, termOf({ ...draft, from })];
  const changes = marketsOf(markets, draft).flatMap((market) => {
    const before = termsAt(terms, market, from);
    const after = termsAt(withDraft, market, from);
    return isSame(before, after) ? [] : changeOf(markets, market, before, after, now);
  });
  const sorted = changes.toSorted((a, b) => moveOf(b).cmp(moveOf(a)));
  return {
    ...instants('from', from),
    affected: changes.length,
    changes: sorted.slice(0, changesShown),
    concerns: [...sameStart(terms, { ...draft, from }), ...concernsOf(draft, sorted, now)],
  };
}

function marketsOf(markets: Markets, { scope, subject }: Pick<Term, 'scope' | 'subject'>): OfferedMarket[] {
  return [...markets.catalogue.all()].filter(({ symbol, quote, status }) => {
    if (status === 'delisted') return false;
    return scope === 'service' || subject === (scope === 'quote' ? quote : symbol);
  });
}

function isSame(one: MarketTerms, other: MarketTerms): boolean {
  return termValues.every((what) => one[what]?.value === other[what]?.value);
}

function changeOf(
  markets: Markets,
  market: OfferedMarket,
  before: MarketTerms,
  after: MarketTerms,
  now: EpochMs,
): Change {
  const pricesOn = (terms: MarketTerms) => {
    const verdict = markets.pricer.priceOn(terms, market, now);
    if (verdict.kind !== 'priced') return null;
    const { buyPrice, sellPrice } = verdict.ticker;
    return { buyPrice, sellPrice };
  };
  const old = pricesOn(before);
  const changed = pricesOn(after);
  const changeIn = (side: 'buyPrice' | 'sellPrice') =>
    old === null || changed === null ? null : percentChange(old[side], changed[side]);
  return {
    symbol: market.symbol,
    before: old,
    after: changed,
    buyChangePercent: changeIn('buyPrice'),
    sellChangePercent: changeIn('sellPrice'),
    terms: marketTermsView(after),
  };
}

/** The larger of both moves; a price that is lost is the largest. */
function moveOf({ before, after, buyChangePercent, sellChangePercent }: Change) {
  if (before !== null && after === null) return toBig('1e9' as never);
  const moves = [buyChangePercent, sellChangePercent].map((percent) => toBig((percent ?? '0') as never).abs());
  return moves[0]!.gt(moves[1]!) ? moves[0]! : moves[1]!;
}

/** A second term of one subject and instant is rarely meant: it decides what both set. */
function sameStart(terms: readonly Term[], { from, scope, subject }: NewTerm): string[] {
  const same = terms.filter((each) => each.from === from && each.scope === scope && each.subject === subject);
  const all = same.map(({ id }) => id).join(', ');
  return same.length === 0
    ? []
    : [`${all} begins at the same instant for the same: what both set is taken from this one.`];
}

function concernsOf(draft: NewTerm, sorted: readonly Change[], now: EpochMs): string[] {
  const concerns: string[] = [];
  if (draft.from < now - pastMs) {
    concerns.push(
      `The start ${isoInstant(draft.from)} lies in the past: what was quoted since then stays as it was, and the term holds from now on.`,
    );
  }
  concerns.push(...unusualRates({ fee: draft.feePercent, margin: draft.marginPercent }));
  const lost = sorted.filter(({ before, after }) => before !== null && after === null);
  if (lost.length > 0) {
    concerns.push(`${symbolsOf(lost)} would have no price: it rounds to zero at this precision.`);
  }
  const moved = sorted.filter((change) => change.after !== null && moveOf(change).gt(unusualMove));
  const [most] = moved;
  if (most?.before && most.after) {
    const others = moved.length === 1 ? '' : `; ${moved.length - 1} more markets move by over ${unusualMove} %`;
    concerns.push(
      `A client would buy ${most.symbol} at ${most.after.buyPrice} instead of ${most.before.buyPrice} (${most.buyChangePercent} %), and sell at ${most.after.sellPrice} instead of ${most.before.sellPrice} (${most.sellChangePercent} %)${others}.`,
    );
  }
  return concerns;
}

function symbolsOf(changes: readonly Change[]): string {
  const symbols = changes.map(({ symbol }) => symbol);
  const shown = symbols.slice(0, 5).join(', ');
  return symbols.length > 5 ? `${shown} and ${symbols.length - 5} more` : shown;
}
