import type { Clock } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { PriceAnswer, PriceReport } from '../operator/price.ts';
import type { MarketRecord } from '../store/markets.ts';
import type { Store } from '../store/store.ts';
import type { Command } from './command.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';
import { findMarket } from './markets/describe.ts';
import { type Paint, paintFor, pairs } from './style.ts';
import { withStore } from './with-store.ts';

const patienceMs = 5_000;

const unpricedWhy: Record<string, string> = {
  no_ticker: 'the exchange has not sent a usable ticker for it yet',
  no_rate: 'the rate it is converted with was never had or is too old',
  rounds_to_zero: 'its sell price rounds to zero at its price precision',
};

export const price: Command = {
  name: 'price',
  summary: 'show how a price came about, step by step',
  details: [
    'Asks the running server over its private listener. When none answers, it works from what the server saved last, and says so.',
  ],
  positionals: [{ name: 'SYMBOL', summary: 'the market, in any case: BTCCZK' }],
  examples: [{ line: 'mdapi price BTCCZK', note: 'ask, fee, rate, margin and rounding of both prices' }],
  async run(input, context) {
    const symbol = input.argument('SYMBOL');
    return withStore(input, context, async (store, configuration) => {
      const running = await askServer(configuration.admin, context.clock, symbol);
      const answer = running ?? (await fromSnapshot(store, configuration, context, symbol));
      const report = reportIn(answer, symbol, await store.markets.list());
      return {
        json: { ...report, source: running === undefined ? 'snapshot' : 'server' },
        text: reportText(report, paintFor(context)),
        notes: running === undefined ? ['No server answers: this is from what it saved last.'] : [],
      };
    });
  },
};

async function fromSnapshot(
  store: Store,
  configuration: Configuration,
  { clock }: Context,
  symbol: string,
): Promise<PriceAnswer> {
  const { storedPrice } = await import('./stored-price.ts');
  return storedPrice(store, configuration, clock, symbol);
}

/** `undefined` when no server of ours answers there: the port may be another program's. */
async function askServer(
  { host, port }: Configuration['admin'],
  clock: Clock,
  symbol: string,
): Promise<PriceAnswer | undefined> {
  const name = host.includes(':') ? `[${host}]` : host;
  const abort = new AbortController();
  const patience = clock.after(patienceMs, () => abort.abort());
  try {
    const url = `http://${name}:${port}/prices/${encodeURIComponent(symbol)}`;
    const response = await fetch(url, { signal: abort.signal });
    return answerIn(await response.json());
  } catch {
    return undefined;
  } finally {
    patience.cancel();
  }
}

function answerIn(body: unknown): PriceAnswer | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if ('buy' in body && 'sell' in body) return { kind: 'priced', report: body as PriceReport };
  const isAnswer = 'kind' in body && (body.kind === 'unpriced' || body.kind === 'unknown_symbol');
  return isAnswer ? (body as PriceAnswer) : undefined;
}

function reportIn(answer: PriceAnswer, symbol: string, known: readonly MarketRecord[]): PriceReport {
  switch (answer.kind) {
    case 'priced':
      return answer.report;
    case 'unknown_symbol': {
      const { record } = findMarket(known, symbol);
      throw new CommandError(
        exitCodes.refused,
        'market_delisted',
        `The market ${record.symbol} is delisted, which is final.`,
      );
    }
    case 'unpriced': {
      const why = unpricedWhy[answer.reason] ?? answer.reason;
      throw new CommandError(exitCodes.failure, answer.reason, `The market ${symbol} has no price now: ${why}.`);
    }
  }
}

function reportText(report: PriceReport, paint: Paint): string {
  const { rate } = report;
  const facts: [string, string][] = [
    ['Market', report.symbol],
    ['Made from', report.exchangeSymbol],
    ['Captured', report.timestamp],
  ];
  if (rate !== null) {
    const fixing = rate.fixingDate === null ? '' : `, fixing of ${rate.fixingDate}`;
    facts.push([
      'Rate',
      `${rate.mid} (${rate.source}${fixing}), read ${rate.refreshedAt}, valid until ${rate.validUntil}`,
    ]);
  }
  return [
    pairs(facts, paint),
    '',
    side('A client buys at', report.buy, paint),
    '',
    side('A client sells at', report.sell, paint),
  ].join('\n');
}

function side(title: string, steps: PriceReport['buy'], paint: Paint): string {
  const served = steps.at(-1)?.value ?? '';
  const rows = steps.map(({ step, value }): [string, string] => [`  ${step}`, value]);
  return `${paint.heading(`${title} ${served}`)}\n${pairs(rows, { ...paint, heading: (text) => text })}`;
}
