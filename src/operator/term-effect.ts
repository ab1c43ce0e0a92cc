import type { Static } from 'typebox';
import { isoInstant } from '../contract/instant.ts';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import { percentChange, toBig } from '../market/decimal.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';
import type { Markets } from '../market/markets.ts';
import { type MarketTerms, type Term, termsAt } from '../market/terms.ts';
import { type NewTerm, termLeadMs } from '../store/terms.ts';
import {
  coded,
  count,
  id,
  instantFields,
  instantMs,
  instants,
  line,
  listOf,
  named,
  nullable,
  openEnum,
  referenceTo,
} from './fields.ts';
import { MarketTermsSchema, marketTermsView, termOf, termValues } from './term.ts';
import { unusualRates, unusualText } from './unusual-rates.ts';

const changesShown = 50;
const namedMax = 5;
/** A start so shortly before is meant as now. */
const pastMs = 60_000;
const unusualMove = '2';

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

const concernCodes = {
  same_start: { terms: listOf(id('trm', 'A term.'), 'Those that begin at the same instant for the same.', 50) },
  start_in_past: { fromMs: instantMs('The start that was asked for.') },
  unusual_rate: {
    what: openEnum(['fee', 'margin'], 'What is large.'),
    percent: part.decimal('In percent.', '50'),
  },
  no_price: {
    markets: listOf(part.symbol('A market.', 'SHIBEUR'), 'The first of them.', namedMax),
    more: count('How many there are besides.', 2),
  },
  prices_move: {
    symbol: part.symbol('The market that moves most.', 'BTCEUR'),
    buy: part.decimal('What a client would pay.', '84631.2'),
    buyBefore: part.decimal('What a client pays now.', '84210.1'),
    buyPercent: part.percent('The change in percent.', '0.50'),
    sell: part.decimal('What a client would receive.', '83788.8'),
    sellBefore: part.decimal('What a client receives now.', '84209.9'),
    sellPercent: part.percent('The change in percent.', '-0.50'),
    others: count('How many more markets move by over `overPercent`.', 41),
    overPercent: part.decimal('A usual change is smaller.', unusualMove),
  },
};

export const ConcernCodeSchema = coded('TermConcernCode', 'Why a term may be a mistake.', concernCodes);
type Concern = Static<typeof ConcernCodeSchema>;

export const TermEffectSchema = named('TermEffect', 'What a new term would change.', {
  ...instantFields('from', 'When it would begin.'),
  affected: count('Markets whose terms it changes.', 42),
  changes: listOf(ChangeSchema, 'Their prices, at most 50: those that change most first.', 50),
  concerns: listOf(
    line('The effect, in a sentence.', 'A fee of 50 % is unusual.'),
    'Why it may be a mistake: to be confirmed. Empty where nothing is unusual.',
    8,
  ),
  concernCodes: listOf(ConcernCodeSchema, 'The same by their codes.', 8),
});

export type TermEffect = Static<typeof TermEffectSchema>;
type Change = Static<typeof ChangeSchema>;

/** Why a term cannot be meant so; `undefined` when it can. */
export function termRefusal(book: Markets, term: NewTerm) {
  const { scope, subject } = term;
  if (subject === undefined) return undefined;
  const markets = marketsOf(book, term);
  if (markets.length === 0 && scope === 'market') {
    const message = `There is no market ${subject}.`;
    return { message, said: { code: 'term_market_unknown', values: { symbol: subject } } } as const;
  }
  if (markets.length === 0) {
    const message = `No market is quoted in ${subject}.`;
    return { message, said: { code: 'term_quote_unknown', values: { quote: subject } } } as const;
  }
  const needsConversion = (term.marginPercent ?? term.pricePrecision) !== undefined;
  if (!needsConversion || markets.some(({ isConverted }) => isConverted)) return undefined;
  const message = `${subject} is not converted: it has no margin, and its precision is the exchange's.`;
  return { message, said: { code: 'term_not_converted', values: { subject } } } as const;
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
  const concerns = [...sameStart(terms, { ...draft, from }), ...concernsOf(draft, sorted, now)];
  return {
    ...instants('from', from),
    affected: changes.length,
    changes: sorted.slice(0, changesShown),
    concerns: concerns.map(concernText),
    concernCodes: concerns,
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
function sameStart(terms: readonly Term[], { from, scope, subject }: NewTerm): Concern[] {
  const same = terms.filter((each) => each.from === from && each.scope === scope && each.subject === subject);
  return same.length === 0 ? [] : [{ code: 'same_start', values: { terms: same.map((each) => each.id) } }];
}

function concernsOf(draft: NewTerm, sorted: readonly Change[], now: EpochMs): Concern[] {
  const concerns: Concern[] = [];
  if (draft.from < now - pastMs) concerns.push({ code: 'start_in_past', values: { fromMs: draft.from } });
  for (const values of unusualRates({ fee: draft.feePercent, margin: draft.marginPercent }))
    concerns.push({ code: 'unusual_rate', values });
  const lost = sorted.filter(({ before, after }) => before !== null && after === null).map(({ symbol }) => symbol);
  if (lost.length > 0) {
    const more = Math.max(0, lost.length - namedMax);
    concerns.push({ code: 'no_price', values: { markets: lost.slice(0, namedMax), more } });
  }
  const moved = sorted.filter((change) => change.after !== null && moveOf(change).gt(unusualMove));
  const [most] = moved;
  if (most?.before && most.after) {
    concerns.push({
      code: 'prices_move',
      values: {
        symbol: most.symbol,
        buy: most.after.buyPrice,
        buyBefore: most.before.buyPrice,
        buyPercent: most.buyChangePercent ?? '0.00',
        sell: most.after.sellPrice,
        sellBefore: most.before.sellPrice,
        sellPercent: most.sellChangePercent ?? '0.00',
        others: moved.length - 1,
        overPercent: unusualMove,
      },
    });
  }
  return concerns;
}

function concernText({ code, values }: Concern): string {
  if (code === 'same_start') {
    return `${values.terms.join(', ')} begins at the same instant for the same: what both set is taken from this one.`;
  }
  if (code === 'start_in_past') {
    const meant = 'what was quoted since then stays as it was, and the term holds from now on.';
    return `The start ${isoInstant(values.fromMs)} lies in the past: ${meant}`;
  }
  if (code === 'unusual_rate') return unusualText(values);
  if (code === 'no_price') {
    const more = values.more > 0 ? ` and ${values.more} more` : '';
    return `${values.markets.join(', ')}${more} would have no price: it rounds to zero at this precision.`;
  }
  const { symbol, buy, buyBefore, buyPercent, sell, sellBefore, sellPercent, others, overPercent } = values;
  const also = others === 0 ? '' : `; ${others} more markets move by over ${overPercent} %`;
  const bought = `A client would buy ${symbol} at ${buy} instead of ${buyBefore} (${buyPercent} %)`;
  return `${bought}, and sell at ${sell} instead of ${sellBefore} (${sellPercent} %)${also}.`;
}
