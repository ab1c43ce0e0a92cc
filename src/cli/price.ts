import { isoInstant } from '../contract/instant.ts';
import { withoutCandles } from '../feed/connectors.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { PriceAt, RecordQuestions } from '../history/query/questions.ts';
import type { DoubtView } from '../operator/doubt.ts';
import { storedMarkets } from '../operator/market.ts';
import { explainPrice, type PriceAnswer, type PriceReport, type WithheldView } from '../operator/price.ts';
import { gapView, priceAnswerOf } from '../operator/record.ts';
import type { Store } from '../store/store.ts';
import type { Result } from './command.ts';
import { CommandError, exitCodes, marketDelisted } from './failure.ts';
import { findMarket } from './markets.ts';
import { askPrice } from './private-listener.ts';
import { symbolOf, withRecord } from './record.ts';
import { savedBook, storeCommand } from './store-command.ts';
import { type Paint, pairs, table } from './style.ts';
import { parseOptionalInstant } from './values.ts';

const unpricedReasons: Record<string, string> = {
  no_ticker: 'the exchange has not sent a usable ticker for it yet',
  held: 'it has been held back for over five minutes',
  no_rate: 'its conversion rate is missing or too old',
  rounds_to_zero: 'its sell price rounds to zero at its price precision',
};

const price = storeCommand({
  name: 'price',
  summary: 'show how a price came about, step by step',
  details: [
    'Asks the running server; if none answers, it uses the last saved prices and says so. With --at it asks the record.',
  ],
  positionals: { SYMBOL: { summary: 'the market, such as BTCCZK, in any case' } },
  options: {
    at: {
      value: 'INSTANT',
      summary: 'the price of this instant, or the one that was served with it as its `timestamp`',
    },
  },
  examples: {
    'mdapi price BTCCZK': 'ask, fee, rate, margin and rounding of both prices',
    'mdapi price BTCCZK --at 2026-11-22T12:00:03.120Z': 'as it was then',
  },
  read: ({ options }, now) => parseOptionalInstant(options.at, now, '--at'),
  async work({ positionals, values: at, configuration, store, context: { clock }, paint }) {
    const { SYMBOL: symbol } = positionals;
    if (at !== undefined) {
      const recorded = withoutCandles(configuration.sources);
      const ask = (record: RecordQuestions) => record.priceAt(symbolOf(symbol), at, recorded);
      return recordedPrice(await withRecord(configuration, clock, ask), symbol, at, paint);
    }
    const live = await askPrice(configuration.admin, clock, symbol);
    const answer = live ?? explainPrice(await savedBook(store, configuration, clock), symbol, clock.now());
    const report = await reportIn(answer, symbol, store);
    return {
      json: { ...report, source: live === undefined ? 'snapshot' : 'server' },
      text: reportText(report, paint),
      notes: live === undefined ? ['No server answers: these are the last saved prices.'] : [],
    };
  },
});

export const commands = [price];

/** Throws `CommandError` where there was no price, or the record does not have it. */
function recordedPrice(found: PriceAt, text: string, asked: EpochMs, paint: Paint): Result {
  const answer = priceAnswerOf(found);
  if (answer?.kind === 'priced' && found.kind === 'priced') {
    const { at } = found.row;
    const publishedAt = isoInstant(at);
    const json = { ...answer.report, source: 'record', publishedAt, publishedAtMs: at };
    const then = found.row.quote?.capturedAt === asked ? ' then' : '';
    return { json, text: reportText(answer.report, paint, `${then}, published at ${publishedAt}`) };
  }
  const gap = found.kind === 'not_recorded' ? found.gap : undefined;
  if (gap !== undefined) {
    const { from, to, reason } = gapView(gap);
    const message = `The record has a gap from ${from} to ${to ?? 'now'} (${reason}).`;
    throw new CommandError(exitCodes.failure, 'not_recorded', message);
  }
  if (answer?.kind !== 'unpriced') {
    throw new CommandError(exitCodes.notFound, 'no_price', `The market ${text} is not in the record then.`);
  }
  const held = answer.held.map((each) => ` ${heldText(each)}.`).join('');
  const what = `had no price then: ${unpricedReasons[answer.reason]}.${held}`;
  throw new CommandError(exitCodes.notFound, 'no_price', `The market ${text} ${what}`);
}

/** Throws `CommandError` where there is no price. */
async function reportIn(answer: PriceAnswer, text: string, store: Store): Promise<PriceReport> {
  if (answer.kind === 'priced') return answer.report;
  if (answer.kind === 'unknown_symbol') {
    const { symbol } = findMarket(storedMarkets(await store.markets.list()), text);
    throw marketDelisted(symbol);
  }
  const reason = unpricedReasons[answer.reason] ?? answer.reason;
  const withheld = withheldTexts(answer).map(([name, what]) => `${name}: ${what}.`);
  const message = [`The market ${text} has no price now: ${reason}.`, ...withheld].join(' ');
  throw new CommandError(exitCodes.failure, answer.reason, message);
}

/** @param published when, of a price from the record */
function reportText(report: PriceReport, paint: Paint, published = ''): string {
  const { rate } = report;
  const facts: [string, string][] = [
    ['Market', report.symbol],
    ['Made from', report.exchangeSymbol],
    ['Captured', `${report.timestamp}${published}`],
  ];
  if (rate !== null) {
    const fixing = rate.fixingDate === null ? '' : `, fixing of ${rate.fixingDate}`;
    const validity = `read ${rate.refreshedAt}, valid until ${rate.validUntil}`;
    facts.push(['Rate', `${rate.mid} (${rate.source}${fixing}), ${validity}`]);
  }
  for (const { what, value, version } of report.terms.values) {
    facts.push([`Term: ${what}`, `${value}${what === 'fee' || what === 'margin' ? ' %' : ''} (${version})`]);
  }
  for (const each of report.changes) facts.push([`Change ${each.over}`, changeText(each)]);
  facts.push(...withheldTexts(report));
  const sides = [side('A client buys at', report.buy, paint), side('A client sells at', report.sell, paint)];
  const sources = report.sources.length === 0 ? [] : [sourceTable(report.sources, paint)];
  return [pairs(facts, paint), ...sides, ...sources].join('\n\n');
}

function sourceTable(sources: PriceReport['sources'], paint: Paint): string {
  const paints = { used: paint.good, standby: paint.faint, stale: paint.bad, excluded: paint.bad };
  const rows = sources.map(({ id, state, reason, reach, bid, ask, ageMs, deviationPercent }) => [
    id,
    { text: reason === null ? state : `${state}: ${reason.replaceAll('_', ' ')}`, paint: paints[state] },
    reach,
    bid ?? '-',
    ask ?? '-',
    ageMs === null ? '-' : `${(ageMs / 1000).toFixed(1)} s`,
    deviationPercent === null ? '-' : `${deviationPercent} %`,
  ]);
  const text = table(['SOURCE', 'STATE', 'REACH', 'BID', 'ASK', 'AGE', 'DEVIATION'], rows, paint, 'No source.');
  const reportedAgeMs = sources[0]?.reportedAgeMs ?? null;
  if (reportedAgeMs === null) return text;
  return `${text}\n${paint.faint(`As the process that runs the feed reported ${(reportedAgeMs / 1000).toFixed(1)} s ago.`)}`;
}

/** `0.21 % from 49895.3 at … (record)`. */
function changeText({ percent, origin, price, timestamp }: PriceReport['changes'][number]): string {
  const from = price === null ? '' : ` from ${price}`;
  return `${percent} %${from}${timestamp === null ? '' : ` at ${timestamp}`} (${origin})`;
}

/** Holds, doubted rates and doubted sources. A doubt of the source in use is shown once. */
function withheldTexts({ held, doubts = [] }: Pick<PriceReport, 'held' | 'doubts'>): [string, string][] {
  const isShownAsDoubt = ({ subject, reason }: WithheldView) =>
    reason !== 'operator' && doubts.some(({ market }) => market === subject);
  return [
    ...held.flatMap((each): [string, string][] => (isShownAsDoubt(each) ? [] : [['Held', heldText(each)]])),
    ...doubts.map((each): [string, string] => ['Doubted', doubtText(each)]),
  ];
}

/** `kraken 1 / 1000000 since … (jump: it moved …); served is the price of bitvavo`. */
function doubtText({ source, bid, ask, since, reason, why, served }: DoubtView): string {
  return `${source} ${bid} / ${ask} since ${since} (${reason.replaceAll('_', ' ')}: ${why}); served is ${served}`;
}

/** `BTCEUR by the guard since … (jump): 1 / 1000000`. */
function heldText({ subject, reason, since, values }: WithheldView): string {
  if (reason === 'operator') return `${subject} by the operator since ${since}`;
  return `${subject} by the guard since ${since} (${reason}): ${values.join(' / ')}`;
}

function side(title: string, steps: PriceReport['buy'], paint: Paint): string {
  const served = steps.at(-1)?.value ?? '';
  const rows = steps.map(({ step, value }): [string, string] => [`  ${step}`, value]);
  return `${paint.heading(`${title} ${served}`)}\n${pairs(rows, { ...paint, heading: (text) => text })}`;
}
