import type { Configuration } from '../configuration/configuration.ts';
import { didYouMean } from '../configuration/spelling.ts';
import { type CurrencyCode, parseSymbol } from '../market/symbol.ts';
import { type SkippedPair, skippedPairsName } from '../market/upstream.ts';
import { acceptRefusal, doubtedSource } from '../operator/doubt.ts';
import { type MarketView, storedMarkets } from '../operator/market.ts';
import type { Store } from '../store/store.ts';
import type { Command, CommandName, Result } from './command.ts';
import { CommandError, exitCodes, failure } from './failure.ts';
import { askPrice, askSources } from './private-listener.ts';
import { type Job, storeCommand } from './store-command.ts';
import { type Cell, harmless, instantCell, type Paint, pairs, stateCell, table } from './style.ts';

const list = storeCommand('markets list', async ({ store, configuration, context, paint }) => {
  const known = storedMarkets(await store.markets.list());
  const reasons = new Map(known.map((market) => [market.symbol, whyNotSelected(market, configuration)]));
  const markets = known.filter(({ symbol }) => reasons.get(symbol) === undefined);
  const unselected = [...reasons].flatMap(([symbol, reason]) => (reason === undefined ? [] : { symbol, reason }));
  const notOffered = [...unselected, ...(await skippedPairs(store))];
  const doubts = (await askSources(configuration.admin, context.clock))?.flatMap((source) => source.doubts ?? []);
  const doubtsOf = ({ symbol, convertedFrom }: MarketView) =>
    doubts?.filter(({ market }) => market === (convertedFrom ?? symbol)) ?? null;
  const rows = markets.map((market) => [
    market.symbol,
    statusCell(market, paint),
    market.convertedFrom ?? '-',
    market.tickSize,
    market.minOrderSize,
    (doubtsOf(market) ?? []).map(doubtedSource).join(', '),
  ]);
  const headings = ['SYMBOL', 'STATUS', 'CONVERTED FROM', 'TICK SIZE', 'MIN ORDER'];
  if (doubts !== undefined && doubts.length > 0) headings.push('DOUBTED');
  const text = table(headings, rows, paint, 'No markets yet.');
  const others = notOffered.map(({ symbol, reason }) => [symbol, reason]);
  return {
    json: { markets: markets.map((market) => ({ ...market, doubts: doubtsOf(market) })), notOffered },
    text: others.length === 0 ? text : `${text}\n\n${table(['NOT OFFERED', 'WHY'], others, paint, '')}`,
  };
});

/** Why a market that was offered before is not, with this configuration. */
function whyNotSelected({ symbol, quote, convertedFrom }: MarketView, { markets, pricing }: Configuration) {
  if (convertedFrom !== null && !pricing.converted.has(quote as CurrencyCode))
    return 'pricing.converted lacks its quote';
  const listed = convertedFrom ?? symbol;
  if (markets.symbols !== 'all' && !markets.symbols.some((chosen) => chosen === listed)) {
    return `markets.symbols lacks ${listed}`;
  }
  return convertedFrom !== null || markets.quotes.some((chosen) => chosen === quote)
    ? undefined
    : `markets.quotes lacks ${quote}`;
}

/** Pairs that the latest load of the catalogue left out. */
async function skippedPairs(store: Store) {
  const stored = await store.snapshots.load(skippedPairsName);
  const skipped = JSON.parse(stored?.payload ?? '[]') as SkippedPair[];
  return skipped.map(({ symbol, name, reason }) => ({ symbol, reason: `${name}: ${reason}` }));
}

interface MarketChange {
  /** Does it for `--all`, and returns how many markets changed; absent where that is not taken. */
  readonly applyAll?: (job: Job) => Promise<number>;
  /** Asked first. `followers` are the markets converted from this one; empty where there are none. */
  readonly question?: (symbol: string, followers: string) => string;
  readonly apply: (job: Job, symbol: string) => Promise<unknown>;
  /** Notes on the market as it is afterwards. */
  readonly notes?: (market: MarketView, markets: readonly MarketView[]) => readonly string[];
}

function marketCommand(name: CommandName, { applyAll, question, apply, notes }: MarketChange): Command {
  return storeCommand(name, async (job): Promise<Result> => {
    if (applyAll !== undefined && job.input.isSet('all')) {
      const changed = await applyAll(job);
      return { json: { changed }, text: `${changed} ${changed === 1 ? 'market' : 'markets'} changed.` };
    }
    const before = storedMarkets(await job.store.markets.list());
    const symbols = job.input.everyArgument('SYMBOL').map((text) => changeable(findMarket(before, text)));
    for (const symbol of symbols) {
      if (question !== undefined) await job.confirm(question(symbol, followersOf(before, symbol)), true);
      await apply(job, symbol);
    }
    const after = storedMarkets(await job.store.markets.list());
    const changed = symbols.map((symbol) => findMarket(after, symbol));
    const text = changed.map((market) => marketText(market, job.paint)).join('\n\n');
    const [market, ...others] = changed;
    if (others.length > 0) return { json: { markets: changed }, text };
    return { json: market!, text, notes: notes?.(market!, after) ?? [] };
  });
}

/** The symbol of a market that is not delisted. Throws `CommandError`. */
function changeable({ symbol, status }: MarketView): string {
  if (status === 'delisted') throw failure('market_delisted', { symbol });
  return symbol;
}

const pause = marketCommand('markets pause', {
  applyAll: ({ store }) => store.markets.setAllPaused(true),
  apply: ({ store }, symbol) => store.markets.setOperatorPaused(symbol, true),
  notes({ symbol }, markets) {
    const followers = followersOf(markets, symbol);
    return followers === '' ? [] : [`Paused too: ${followers}.`];
  },
});

const resume = marketCommand('markets resume', {
  applyAll: ({ store }) => store.markets.setAllPaused(false),
  apply: ({ store }, symbol) => store.markets.setOperatorPaused(symbol, false),
  notes({ symbol, pausedBy, convertedFrom, missingSince }, markets) {
    const paused = markets.filter((market) => market.convertedFrom === symbol && market.operatorPaused);
    const followers = paused.map((market) => `${market.symbol} stays paused: the operator paused it itself.`);
    if (pausedBy.includes('operator'))
      return [`It follows ${convertedFrom}, which is paused by the operator: resume that one.`, ...followers];
    if (missingSince !== null) return ['It stays paused until the exchange lists it again.', ...followers];
    return pausedBy.includes('exchange') ? ['It stays paused until the exchange resumes it.', ...followers] : followers;
  },
});

const hold = marketCommand('markets hold', {
  apply: ({ store, context }, symbol) => store.markets.setHeld(symbol, context.clock.now()),
  applyAll: ({ store, context }) => store.markets.setAllHeld(context.clock.now()),
});

const release = marketCommand('markets release', {
  apply: ({ store }, symbol) => store.markets.setHeld(symbol, undefined),
  applyAll: ({ store }) => store.markets.setAllHeld(undefined),
});

const accept = marketCommand('markets accept', {
  async apply({ input, store, context, configuration }, symbol) {
    const answer = await askPrice(configuration.admin, context.clock, symbol);
    if (answer === undefined) throw failure('no_server');
    const { held, doubts } = { held: [], doubts: [], ...(answer.kind === 'priced' ? answer.report : answer) };
    const source = input.option('source');
    const refusal = acceptRefusal({ symbol, held, doubts }, source === undefined ? undefined : harmless(source));
    if (refusal !== undefined) throw new CommandError(exitCodes.refused, 'not_held', refusal);
    await store.markets.acceptDoubted(symbol, context.clock.now(), source);
  },
  notes: () => ['Taken with the next tick at its level; a rate when it is next read.'],
});

const delist = marketCommand('markets delist', {
  question: (symbol, followers) => `Delist ${symbol}? This is final.${delistedToo(followers)}`,
  apply: ({ store, context }, symbol) => store.markets.delist(symbol, context.clock.now()),
  notes: ({ symbol }, markets) => [`Delisted for good.${delistedToo(followersOf(markets, symbol))}`],
});

export const marketCommands: readonly Command[] = [list, pause, resume, hold, release, accept, delist];

/** The market with the symbol `text`, in any case. Throws `CommandError` (not found) with the nearest symbol. */
export function findMarket(markets: readonly MarketView[], text: string): MarketView {
  const symbol = parseSymbol(text);
  const found = markets.find((market) => market.symbol === symbol);
  if (found !== undefined) return found;
  const symbols = markets.map((market) => market.symbol);
  const hint =
    markets.length === 0
      ? ' The database holds no markets yet: `mdapi serve` loads them.'
      : didYouMean(text.toUpperCase(), symbols);
  throw new CommandError(exitCodes.notFound, 'market_unknown', `There is no market "${text}".${hint}`);
}

function delistedToo(followers: string): string {
  return followers === '' ? '' : ` Delisted too: ${followers}.`;
}

function followersOf(markets: readonly MarketView[], symbol: string): string {
  const followers = markets.filter((market) => market.convertedFrom === symbol).map((market) => market.symbol);
  return followers.length === 0 ? '' : `${followers.join(', ')} (converted from it)`;
}

function marketText(market: MarketView, paint: Paint): string {
  const { symbol, convertedFrom, delistedAt, listedUntil } = market;
  const lines: [string, Cell][] = [
    ['Market', symbol],
    ['Status', statusCell(market, paint)],
  ];
  if (convertedFrom !== null) lines.push(['Converted from', convertedFrom]);
  if (market.heldAt !== null) lines.push(['Held by the operator', instantCell(market.heldAt)]);
  if (delistedAt !== null) lines.push(['Delisted', instantCell(delistedAt)]);
  if (listedUntil !== null) lines.push(['Listed until', instantCell(listedUntil)]);
  return pairs(lines, paint);
}

function statusCell({ status, pausedBy, missingSince }: MarketView, paint: Paint): Cell {
  if (status !== 'paused') return stateCell(status, paint, status);
  const missing = missingSince === null ? '' : `, not listed there since ${missingSince}`;
  return stateCell(status, paint, `paused by ${pausedBy.join(' and ')}${missing}`);
}
