import type { Configuration } from '../configuration/configuration.ts';
import type { ExchangeConnector } from '../feed/connector.ts';
import { type Clock, withTimeout } from '../ground/clock.ts';
import { areClose, levelOf, reachOf } from '../market/quote.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import { type AcceptedTicker, judgeTicker } from '../market/ticker-acceptance.ts';
import type { ListedMarket } from '../market/upstream.ts';
import type { CheckedRate } from './check-rates.ts';

/** The result of a check. */
export interface Finding {
  readonly name: string;
  readonly works: boolean;
  /** An operator should look at it though the service works. */
  readonly isWarning?: boolean;
  readonly detail: string;
  /** The middle of bid and ask at each source, of a market whose sources differ. */
  readonly middles?: Readonly<Record<string, string>>;
  /** A rate that was read. */
  readonly rate?: CheckedRate;
}

type Quotes = ReadonlyMap<MarketSymbol, AcceptedTicker>;
type SourceQuotes = readonly (readonly [source: string, quotes: Quotes])[];

const timeoutMs = 20_000;

/**
 * Asks every source once for the prices of the markets that others list too, and names those that are too far apart.
 *
 * @param catalogues the markets of each source, by its id
 */
export async function compareLevels(
  configuration: Configuration,
  connectors: readonly ExchangeConnector[],
  catalogues: ReadonlyMap<string, readonly ListedMarket[]>,
  clock: Clock,
): Promise<readonly Finding[]> {
  const listed = connectors.filter(({ id }) => catalogues.has(id));
  const counts = new Map<MarketSymbol, number>();
  const all = [...catalogues.values()].flat();
  for (const { symbol } of all) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  const warnings: Finding[] = [];
  const unpriced: string[] = [];
  const asked = listed.map(async (connector) => {
    const { id } = connector;
    const common = catalogues.get(id)!.filter(({ symbol, status }) => status === 'trading' && counts.get(symbol)! > 1);
    try {
      const symbols = common.map(({ symbol }) => symbol);
      const quotes = await quotesOf(connector, symbols, clock);
      if (quotes.size < symbols.length) unpriced.push(`${id} ${symbols.length - quotes.size}`);
      return [id, quotes] as const;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'failed';
      const detail = `does not answer, so that its prices are not compared: ${reason}`;
      warnings.push({ name: `${id} prices`, works: true, isWarning: true, detail });
      return [id, new Map()] as const;
    }
  });
  const quotes = await Promise.all(asked);
  const bases = new Map(all.map(({ symbol, base }) => [symbol, base]));
  return [...warnings, ...findingsOf(configuration, quotes, bases, unpriced)];
}

/**
 * Sends one request, or several where an exchange answers for a few markets at a time. What is missing when the time is
 * up is not compared.
 */
async function quotesOf(connector: ExchangeConnector, symbols: readonly MarketSymbol[], clock: Clock): Promise<Quotes> {
  const quotes = new Map<MarketSymbol, AcceptedTicker>();
  let missing = symbols;
  const ask = async (signal: AbortSignal) => {
    for (let before = Number.POSITIVE_INFINITY; missing.length > 0 && missing.length < before; ) {
      before = missing.length;
      const tickers = await connector.pollTickers(missing, signal);
      const answered = new Set(tickers.map(({ symbol }) => symbol));
      missing = missing.filter((symbol) => !answered.has(symbol));
      for (const ticker of tickers) {
        const judgement = judgeTicker(ticker, undefined, connector.id);
        if ('accepted' in judgement) quotes.set(ticker.symbol, judgement.accepted);
      }
    }
  };
  await withTimeout(clock, timeoutMs, ask).catch((error: unknown) => {
    if (quotes.size === 0) throw error;
  });
  return quotes;
}

function* findingsOf(
  { guard: { disagreePercent }, pricing, sources }: Configuration,
  quotes: SourceQuotes,
  bases: ReadonlyMap<MarketSymbol, CurrencyCode>,
  unpriced: readonly string[],
): Generator<Finding> {
  const reach = reachOf(disagreePercent);
  let compared = 0;
  let apart = 0;
  for (const [symbol, base] of [...bases].sort()) {
    const own = pricing.sources.get(symbol);
    const said = quotes.flatMap(([id, ofSource]) => {
      const quote = own?.includes(id) === false ? undefined : ofSource.get(symbol);
      return quote === undefined ? [] : [{ id, level: levelOf(quote) }];
    });
    if (said.length < 2) continue;
    compared++;
    // Whoever is far from most of the others; of two the one that would only stand by.
    const far = said.map(({ level }) => said.filter((other) => !areClose(level, other.level, reach)).length);
    const odd = said[far.lastIndexOf(Math.max(...far))]!.id;
    if (far.every((count) => count === 0)) continue;
    apart++;
    const middles = Object.fromEntries(said.map(({ id, level }) => [id, level.times('0.5').toFixed()]));
    const prices = Object.entries(middles).map(([id, middle]) => `${id} ${middle}`);
    const { assets } = sources.find(({ id }) => id === odd)!;
    const [name = base] = [...assets].find(([, named]) => named === base) ?? [];
    const remedy = `If it is another asset at ${odd}, write not: [${name}] or assets: { ${name}: ITS-NAME } for ${odd} in sources.`;
    yield { name: symbol, works: true, isWarning: true, detail: `${prices.join(', ')}. ${remedy}`, middles };
  }
  const isWarning = apart > 0;
  const verdict = isWarning ? `${apart} of them are further apart than` : 'none of them further apart than';
  const missing = unpriced.length === 0 ? '' : `; markets without a usable price: ${unpriced.join(', ')}`;
  const detail = `${compared} markets compared; ${verdict} guard.disagreePercent, ${disagreePercent} %${missing}`;
  yield { name: 'levels', works: true, isWarning, detail };
}
