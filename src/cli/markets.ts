import type { Configuration } from '../configuration/configuration.ts';
import { didYouMean } from '../configuration/spelling.ts';
import { type CurrencyCode, parseSymbol } from '../market/symbol.ts';
import { type SkippedPair, skippedPairsName } from '../market/upstream.ts';
import { acceptRefusal, doubtedSource } from '../operator/doubt.ts';
import { type MarketView, storedMarkets } from '../operator/market.ts';
import type { Store } from '../store/store.ts';
import { needsApproval, proposedInstead } from './approvals.ts';
import type { Result } from './command.ts';
import { CommandError, exitCodes, marketDelisted } from './failure.ts';
import { review } from './market-review.ts';
import { askPrice, askSources } from './private-listener.ts';
import { type Job, neededYes, storeCommand } from './store-command.ts';
import { type Cell, harmless, instantCell, type Paint, pairs, stateCell, table } from './style.ts';

const list = storeCommand({
  name: 'markets list',
  summary: 'list every known market, by symbol, with its state',
  details: [
    'Delisted ones stay here after clients no longer see them. Those that are not offered come last, with the reason.',
  ],
  examples: {
    'mdapi markets list': 'what is trading, paused, delisted and not offered, and why',
  },
  async work({ store, configuration, context, paint }) {
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
  },
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

const pause = storeCommand({
  name: 'markets pause',
  summary: 'show a market as paused; it keeps its prices',
  details: ['Markets converted from it are paused with it. It lasts over restarts, until `markets resume`.'],
  positionals: { SYMBOL: { isOptional: true, many: true, summary: 'the markets, such as BTCEUR, in any case' } },
  options: {
    all: { summary: 'every market' },
  },
  examples: {
    'mdapi markets pause BTCEUR': 'BTCCZK is paused with it',
  },
  async work(job) {
    const { markets } = job.store;
    if (job.options.all) return countText(await markets.setAllPaused(true));
    const notes: NotesOn = ({ symbol }, all) => {
      const followers = followersOf(all, symbol);
      return followers === '' ? [] : [`Paused too: ${followers}.`];
    };
    return changeEach(job.positionals.SYMBOL, job, (symbol) => markets.setOperatorPaused(symbol, true), notes);
  },
});

const resume = storeCommand({
  name: 'markets resume',
  summary: 'end the operator’s pause of a market',
  details: ['What the exchange has paused stays paused until the exchange resumes it.'],
  positionals: { SYMBOL: { isOptional: true, many: true, summary: 'the markets, such as BTCEUR, in any case' } },
  options: {
    all: { summary: 'every market' },
  },
  examples: {
    'mdapi markets resume BTCEUR': 'no change if it is not paused',
  },
  async work(job) {
    const { markets } = job.store;
    if (job.options.all) return countText(await markets.setAllPaused(false));
    return changeEach(
      job.positionals.SYMBOL,
      job,
      (symbol) => markets.setOperatorPaused(symbol, false),
      whyStillPaused,
    );
  },
});

function whyStillPaused(market: MarketView, all: readonly MarketView[]): readonly string[] {
  const { symbol, pausedBy, convertedFrom, missingSince } = market;
  const paused = all.filter((other) => other.convertedFrom === symbol && other.operatorPaused);
  const followers = paused.map((other) => `${other.symbol} stays paused: the operator paused it itself.`);
  if (pausedBy.includes('operator')) {
    return [`It follows ${convertedFrom}, which is paused by the operator: resume that one.`, ...followers];
  }
  if (missingSince !== null) return ['It stays paused until the exchange lists it again.', ...followers];
  return pausedBy.includes('exchange') ? ['It stays paused until the exchange resumes it.', ...followers] : followers;
}

const hold = storeCommand({
  name: 'markets hold',
  summary: 'freeze the prices of a market as they are',
  details: [
    'Markets made from the same upstream prices are held with it. After five minutes they have no price (503). It lasts over restarts, until `markets release`.',
  ],
  positionals: { SYMBOL: { isOptional: true, summary: 'the market, such as BTCEUR, in any case' } },
  options: {
    all: { summary: 'every price and every rate' },
  },
  examples: {
    'mdapi markets hold BTCEUR': 'BTCCZK follows only its rate then',
  },
  async work(job) {
    const { markets } = job.store;
    const now = job.context.clock.now();
    const { SYMBOL: symbol } = job.positionals;
    if (symbol === undefined) return countText(await markets.setAllHeld(now));
    return changeEach([symbol], job, (found) => markets.setHeld(found, now));
  },
});

const release = storeCommand({
  name: 'markets release',
  summary: 'end the operator’s hold on the prices of a market',
  details: ['What the guard holds stays held.'],
  positionals: { SYMBOL: { isOptional: true, summary: 'the market, such as BTCEUR, in any case' } },
  options: {
    all: { summary: 'every market' },
  },
  examples: {
    'mdapi markets release BTCEUR': 'no change if it is not on hold',
  },
  async work(job) {
    const { markets } = job.store;
    const { SYMBOL: symbol } = job.positionals;
    if (symbol === undefined) return countText(await markets.setAllHeld(undefined));
    return changeEach([symbol], job, (found) => markets.setHeld(found, undefined));
  },
});

const accept = storeCommand({
  name: 'markets accept',
  summary: 'take the price or rate that is doubted',
  details: ['`mdapi price SYMBOL` shows what is doubted. A rate is taken at once, as with `rates accept`.'],
  positionals: { SYMBOL: { summary: 'the market, such as BTCEUR, in any case' } },
  options: {
    source: { value: 'ID', summary: 'of this source alone; needed where other sources doubt several' },
  },
  examples: {
    'mdapi markets accept BTCEUR': '`mdapi price BTCEUR` shows what is doubted',
  },
  async work(job) {
    const { store, context, configuration } = job;
    const { source } = job.options;
    const take = async (symbol: string) => {
      const answer = await askPrice(configuration.admin, context.clock, symbol);
      if (answer === undefined) {
        throw new CommandError(exitCodes.failure, 'no_server', 'No server answers on its private listener.');
      }
      const { held, doubts } = { held: [], doubts: [], ...(answer.kind === 'priced' ? answer.report : answer) };
      const isOfRate = held.some(({ reason }: { reason: string }) => reason === 'rate');
      if (isOfRate && (await needsApproval({ action: 'rate.accept' }, job))) throw rateWaits(symbol);
      const refusal = acceptRefusal({ symbol, held, doubts }, source === undefined ? undefined : harmless(source));
      if (refusal !== undefined) throw new CommandError(exitCodes.refused, 'not_held', refusal);
      await store.markets.acceptDoubted(symbol, context.clock.now(), source);
    };
    const notes = () => ['Taken with the next tick at its level; a rate at once.'];
    return changeEach([job.positionals.SYMBOL], job, take, notes);
  },
});

const delist = storeCommand({
  name: 'markets delist',
  summary: 'delist a market for good',
  details: [
    'It has no price any more (404 UNKNOWN_SYMBOL), /v1/markets lists it as delisted for 30 days, and the symbol never comes back. Markets converted from it are delisted with it.',
  ],
  positionals: { SYMBOL: { summary: 'the market, such as BTCEUR, in any case' } },
  options: {
    yes: neededYes,
  },
  examples: {
    'mdapi markets delist LUNAEUR': 'asks first; without a terminal it needs --yes',
  },
  async work(job) {
    const { store, context, confirm } = job;
    const delistedToo = (symbol: string, all: readonly MarketView[]) => {
      const followers = followersOf(all, symbol);
      return followers === '' ? '' : ` Delisted too: ${followers}.`;
    };
    let proposed: Result | undefined;
    const askAndDelist = async (symbol: string, before: readonly MarketView[]) => {
      await confirm(`Delist ${symbol}? This is final.${delistedToo(symbol, before)}`, true);
      proposed = await proposedInstead({ action: 'market.delist', symbol }, job);
      if (proposed === undefined) await store.markets.delist(symbol, context.clock.now());
    };
    const notes: NotesOn = ({ symbol }, all) => [`Delisted for good.${delistedToo(symbol, all)}`];
    const delisted = await changeEach([job.positionals.SYMBOL], job, askAndDelist, notes);
    return proposed ?? delisted;
  },
});

/** With the price of a market its rate would be accepted, which is not for one person. */
function rateWaits(symbol: string): CommandError {
  const remedy = 'Another person has to confirm its acceptance: `mdapi rates accept`.';
  return new CommandError(exitCodes.refused, 'rate_needs_approval', `The rate of ${symbol} is held. ${remedy}`);
}

export const commands = [list, pause, resume, hold, release, accept, delist, review];

/** Notes on a market as it is after the change. */
type NotesOn = (market: MarketView, all: readonly MarketView[]) => readonly string[];

/** Changes the markets with these symbols, in any case, none of which may be delisted, and shows them. */
async function changeEach(
  texts: readonly string[],
  { store, paint }: Pick<Job, 'store' | 'paint'>,
  change: (symbol: string, before: readonly MarketView[]) => Promise<unknown>,
  notes: NotesOn = () => [],
): Promise<Result> {
  const before = storedMarkets(await store.markets.list());
  const found = texts.map((text) => findMarket(before, text));
  const delisted = found.find(({ status }) => status === 'delisted');
  if (delisted !== undefined) throw marketDelisted(delisted.symbol);
  for (const { symbol } of found) await change(symbol, before);
  const after = storedMarkets(await store.markets.list());
  const changed = found.map(({ symbol }) => findMarket(after, symbol));
  const text = changed.map((market) => marketText(market, paint)).join('\n\n');
  const [market, ...others] = changed;
  if (others.length > 0) return { json: { markets: changed }, text };
  return { json: market!, text, notes: notes(market!, after) };
}

function countText(changed: number): Result {
  return { json: { changed }, text: `${changed} ${changed === 1 ? 'market' : 'markets'} changed.` };
}

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
