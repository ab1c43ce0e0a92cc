import type { MarketSymbol } from '../../market/symbol.ts';
import type { CandleInterval, ConnectorOptions, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { readCandleRows, readPolled } from '../rest-answers.ts';
import { asList, asObject, asUpstreamError, UpstreamError } from '../wire.ts';
import { KrakenLive, krakenSocket } from './live.ts';
import { type AssetNames, readAssetPairs, readAssets, readPolledTicker } from './messages.ts';

/** Beyond this many pairs one request for all of them is shorter than naming each. */
const namesMax = 200;
const candles = {
  hour: { minutes: 60, reachMs: 170 * 3_600_000 },
  minute: { minutes: 1, reachMs: 62 * 60_000 },
} as const;

/** The connector for Kraken's public REST and WebSocket version 2 protocol. */
export class KrakenConnector extends ConnectorBase {
  #assets: AssetNames | undefined;

  constructor(options: ConnectorOptions) {
    super(options, {
      // About one request a second.
      pace: { intervalMs: 1_000, burst: 2 },
      unwrap: readEnvelope,
    });
  }

  /** Pairs carry the assets' ids: without the assets' names a pair can get another symbol. */
  protected async loadListing(signal: AbortSignal) {
    const [assets, result] = await Promise.all([
      this.#loadAssets(signal),
      this.askListing({ path: '/0/public/AssetPairs', parse: 'plain' }, signal),
    ]);
    return { pairs: readAssetPairs(result, assets ?? new Map()), isComplete: assets !== undefined };
  }

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal) {
    const pair = this.idOf(symbol);
    const { minutes, reachMs } = candles[interval];
    const since = String(Math.floor((this.options.clock.now() - reachMs) / 1000));
    const parameters = { pair, interval: String(minutes), since };
    const result = await this.askCandles({ path: '/0/public/OHLC', parameters }, signal);
    return readCandleRows(asObject(result)?.[pair]);
  }

  openLive(listener: LiveListener) {
    return this.openSocket(listener, krakenSocket, (...live) => new KrakenLive(...live));
  }

  /** One delisted pair fails a request that names it. */
  protected async loadTickers(symbols: readonly MarketSymbol[], signal: AbortSignal) {
    const answer = await this.askByName(symbols, { namesMax, refusal: 'unknown_symbol' }, (ids) =>
      this.rest.ask({ path: '/0/public/Ticker', ...(ids && { parameters: { pair: ids.join(',') } }) }, signal),
    );
    return readPolled(answer, this.directory, readPolledTicker);
  }

  /** The table of legacy ids names the assets as well if this call fails. */
  async #loadAssets(signal: AbortSignal): Promise<AssetNames | undefined> {
    try {
      const { result } = await this.rest.ask({ path: '/0/public/Assets', parse: 'plain' }, signal);
      this.#assets = readAssets(result);
    } catch (error) {
      if (asUpstreamError(error).kind === 'aborted') throw error;
    }
    return this.#assets;
  }
}

/** Takes `result` out of `{error, result}`. The HTTP status is 200 even when `error` is filled. */
function readEnvelope(body: unknown): unknown {
  const envelope = asObject(body);
  const errors = asList(envelope?.error);
  if (envelope === undefined || errors === undefined) throw new UpstreamError('malformed', 'no error member');
  // A leading W marks a warning beside a valid result.
  const error = errors.find((entry) => typeof entry !== 'string' || !entry.startsWith('W'));
  if (error === undefined) return envelope.result;
  throw refusal(typeof error === 'string' ? error.slice(0, 100) : 'unreadable error');
}

function refusal(error: string): UpstreamError {
  if (/too many requests|rate limit/i.test(error)) return new UpstreamError('rate_limited', error);
  if (/unknown asset pair/i.test(error)) return new UpstreamError('unknown_symbol', error);
  return new UpstreamError('refused', error);
}
