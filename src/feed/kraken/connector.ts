import type { MarketSymbol } from '../../market/symbol.ts';
import type { CandleInterval, LiveListener } from '../connector.ts';
import { ConnectorBase } from '../connector-base.ts';
import { readCandleRows, readPolled, settledSome } from '../rest-answers.ts';
import type { RestCall } from '../rest-client.ts';
import { asList, asObject, asUpstreamError, requireObject, UpstreamError } from '../wire.ts';
import { KrakenLive, krakenSocket } from './live.ts';
import { type AssetNames, readAssetPairs, readAssets, readPolledTicker } from './messages.ts';
import { krakenRefusals } from './refusals.ts';

/** Beyond this many pairs one request for all of them is shorter than naming each. */
const namesMax = 200;
/** The class of tokenised shares: each call is without it for all other assets. */
const tokenisedAsset = 'tokenized_asset';
const candles = {
  hour: { minutes: 60, reachMs: 170 * 3_600_000 },
  minute: { minutes: 1, reachMs: 62 * 60_000 },
} as const;

/** The connector for Kraken's public REST and WebSocket version 2 protocol. */
export class KrakenConnector extends ConnectorBase {
  protected readonly refusals = krakenRefusals;
  protected readonly requests = {
    // About one request a second; a catalogue is three.
    pace: { intervalMs: 1_000, burst: 3 },
    unwrap: readEnvelope,
  };
  protected readonly listing = { path: '/0/public/AssetPairs', isPlain: true, read: readAssetPairs };
  #assets: AssetNames | undefined;
  /** The ids of pairs of tokenised assets: calls about them name the class. */
  #tokenised: ReadonlySet<string> = new Set();

  /** Pairs carry the assets' ids: without the assets' names a pair can get another symbol. */
  protected override async loadListing(signal: AbortSignal) {
    const [assets, result, tokenised] = await Promise.all([
      this.#loadAssets(signal),
      this.askListing(this.listing, signal),
      this.#optional({ ...this.listing, parameters: { aclass_base: tokenisedAsset } }, signal),
    ]);
    const shares = Object.entries(asObject(tokenised) ?? {}).filter(
      ([, pair]) => asObject(pair)?.aclass_base === tokenisedAsset,
    );
    // Refused or empty, as in some regions, it is no evidence that those listed before are gone.
    const isComplete = assets !== undefined && (shares.length > 0 || this.#tokenised.size === 0);
    if (shares.length > 0) this.#tokenised = new Set(shares.map(([id]) => id));
    const pairs = { ...Object.fromEntries(shares), ...requireObject(result, 'AssetPairs') };
    return { pairs: readAssetPairs(pairs, assets), isComplete };
  }

  async loadCandles(symbol: MarketSymbol, interval: CandleInterval, signal: AbortSignal) {
    const pair = this.idOf(symbol);
    const { minutes, reachMs } = candles[interval];
    const since = String(Math.floor((this.options.clock.now() - reachMs) / 1000));
    const assetClass = this.#tokenised.has(pair) ? { asset_class: tokenisedAsset } : {};
    const parameters = { pair, interval: String(minutes), since, ...assetClass };
    const result = await this.askCandles({ path: '/0/public/OHLC', parameters }, signal);
    return readCandleRows(asObject(result)?.[pair]);
  }

  openLive(listener: LiveListener) {
    return this.openSocket(listener, krakenSocket, (...live) => new KrakenLive(...live));
  }

  /** One delisted pair fails a request that names it. */
  protected async loadTickers(symbols: readonly MarketSymbol[], signal: AbortSignal) {
    const classes = Map.groupBy(symbols, (symbol) => this.#tokenised.has(this.idOf(symbol)));
    const polls = [...classes].map(([isTokenised, own]) => {
      const ask = (ids: readonly string[] | undefined) => {
        const parameters = { ...(isTokenised && { asset_class: tokenisedAsset }), ...(ids && { pair: ids.join(',') }) };
        return this.rest.ask({ path: '/0/public/Ticker', parameters }, signal);
      };
      return this.pollByName(own, namesMax, ask, (answer) => readPolled(answer, this.directory, readPolledTicker));
    });
    return settledSome(polls);
  }

  /** The table of legacy ids names the assets as well if this call fails. */
  async #loadAssets(signal: AbortSignal): Promise<AssetNames | undefined> {
    const result = await this.#optional({ path: '/0/public/Assets', isPlain: true }, signal);
    if (result !== undefined) this.#assets = readAssets(result);
    return this.#assets;
  }

  /** `undefined` when it fails. */
  async #optional(call: RestCall, signal: AbortSignal): Promise<unknown> {
    return this.askListing(call, signal).catch((error: unknown) => {
      if (asUpstreamError(error).kind === 'aborted') throw error;
      return undefined;
    });
  }
}

/** Takes `result` out of `{error, result}`. */
function readEnvelope(body: unknown): unknown {
  const envelope = asObject(body);
  if (envelope === undefined || asList(envelope.error) === undefined)
    throw new UpstreamError('malformed', 'no error member');
  return envelope.result;
}
