import type { Market, MarketDetail, PriceReport, SourceQuote } from '../../generated/management-v1.d.ts';
import { directionOf, grouped, signedPercent } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { unpricedRemedy, unpricedText } from '../format/words.ts';
import { html } from '../html.ts';
import { say, tell, word } from '../language.ts';
import { usePolled, useTicking } from '../live/polled.ts';
import { Badge, Facts, Loaded, Missing, Page, Section, Tile, When } from '../parts/blocks.ts';
import { hrefTo } from '../router.ts';
import { Derivation } from './derivation.ts';
import { MarketActions } from './market-actions.ts';
import { RecordChart } from './record-chart.ts';
import { Proved, Sources } from './sources.ts';

const everyMs = 1_000;

/** One market: its price now, how it came about, its chart, and what an operator can do with it. */
export function MarketPage({ symbol }: { symbol: string }) {
  const polled = usePolled<MarketDetail>(`markets/${encodeURIComponent(symbol)}`, everyMs);
  const { value, refresh, receivedAtMs } = polled;
  const actions = value && html`<${MarketActions} market=${value.market} onChanged=${refresh} />`;
  const beside =
    value &&
    html`<span><${Badge} state=${value.market.status} /> ${value.market.operatorPaused && html`<small>${say('by an operator')}</small>`}</span>`;
  return html`<${Page} title=${symbol} beside=${beside} actions=${actions} up=${{ href: hrefTo('markets'), text: say('All markets') }}>
    <${Loaded} polled=${polled}>${(body: MarketDetail) => html`<${Body} body=${body} receivedAtMs=${receivedAtMs} onChanged=${refresh} />`}<//>
  <//>`;
}

function Body({ body, receivedAtMs, onChanged }: { body: MarketDetail; receivedAtMs: number; onChanged: () => void }) {
  const { market, price } = body;
  const laterMs = Math.max(0, useTicking() - receivedAtMs);
  const reason = market.unpriced;
  const sources = html`<${Sources} market=${market} sources=${body.sources} laterMs=${laterMs} onChanged=${onChanged} />`;
  return html`<div>
    <${Tiles} market=${market} sources=${body.sources} laterMs=${laterMs} />
    ${market.ticker === null && market.status !== 'delisted' && reason !== null && html`<${WithoutPrice} reason=${reason} />`}
    ${market.missingSinceMs !== null && market.status === 'paused' && html`<div class="note warn"><p>${tell('<strong>The exchange has not listed it</strong> since {instant}, and sends no ticker of it. It is delisted after <code>markets.delistAfter</code>, or by you.', { instant: html`<${When} atMs=${market.missingSinceMs} />` })}</p></div>`}
    <${HeldNote} market=${market} />
    ${market.status === 'delisted' && html`<${Delisted} market=${market} />`}
    ${market.doubts.length > 0 && sources}
    <${Section} title=${say('Chart')}><${RecordChart} symbol=${market.symbol} /><//>
    ${market.doubts.length === 0 && body.sources.length > 1 && sources}
    ${price !== null && html`<${PriceSection} market=${market} price=${price} laterMs=${laterMs} />`}
    <${Section} title=${say('Market')}><${Details} body=${body} /><//>
  </div>`;
}

type TilesProps = Pick<MarketDetail, 'market' | 'sources'> & { readonly laterMs: number };

function Tiles({ market, sources, laterMs }: TilesProps) {
  const used = sources.find(({ over }) => over !== null);
  const { ticker, quote, spread, spreadPercent, ageMs } = market;
  const change = ticker?.priceChangePercent24h;
  const none = html`<${Missing}>${say('none')}<//>`;
  return html`<div class="tiles">
    <${Tile} name=${say('A client buys, {quote}', { quote })} className="buy">${ticker ? grouped(ticker.buyPrice) : none}<//>
    <${Tile} name=${say('A client sells, {quote}', { quote })} className="sell">${ticker ? grouped(ticker.sellPrice) : none}<//>
    <${Tile} name=${say('Spread')}>${spread === null ? none : html`${grouped(spread)} <small>${spreadPercent !== null && `${grouped(spreadPercent)} %`}</small>`}<//>
    <${Tile} name=${say('24 hours')}>${change === undefined ? none : html`<span class=${`change ${directionOf(change)}`}>${signedPercent(change)}</span>`}<//>
    <${Tile} name=${say('Age of the price')} note=${used && servedNote(used)}>${ageMs === null ? none : spanText(ageMs + laterMs)}<//>
    ${used && html`<${Tile} name=${say('Price last proved')}><${Proved} source=${used} laterMs=${laterMs} /><//>`}
  </div>`;
}

const servedNotes: Readonly<Record<string, string>> = {
  best: say('over the best path of this market'),
  polled: say('over REST: the live subscription is refused or lost'),
  standby: say('from a standby'),
  silent: say('nobody delivers it now'),
};

function servedNote({ over }: SourceQuote): string | undefined {
  return over === null ? undefined : servedNotes[over];
}

function WithoutPrice({ reason }: { reason: string }) {
  return html`<div class="note warn"><p><strong>${say('No price: {reason}.', { reason: unpricedText(reason) })}</strong> ${unpricedRemedy(reason) ?? ''} ${say('Clients get 503 MARKET_DATA_UNAVAILABLE for it, and /v1/tickers leaves it out.')}</p></div>`;
}

/** An operator's hold, and a doubted rate: doubted prices stand with their sources. */
function HeldNote({ market: { held, doubts } }: { market: Market }) {
  const shown = held.filter(
    ({ subject, reason }) => reason === 'operator' || !doubts.some(({ market }) => market === subject),
  );
  if (shown.length === 0) return null;
  return html`<div class="note warn">${shown.map(
    ({ subject, reason, sinceMs, values }) => html`<p key=${subject}>
      ${tell(reason === 'operator' ? '<strong>{subject} is held by an operator</strong> since {instant}.' : '<strong>{subject} is doubted ({reason})</strong> since {instant}.', { subject, reason: word(reason), instant: html`<${When} atMs=${sinceMs} />` })}
      ${values.length > 0 && tell('Instead of it arrives <code>{values}</code>.', { values: values.map((value) => grouped(value)).join(' / ') })}
      ${say('Clients keep the last good value.')}
    </p>`,
  )}</div>`;
}

function Delisted({ market: { delistedAtMs } }: { market: Market }) {
  return html`<div class="note"><p><strong>${delistedAtMs === null ? say('Delisted for good.') : tell('Delisted on {instant}, for good.', { instant: html`<${When} atMs=${delistedAtMs} as="full" />` })}</strong> ${say('Clients get 404 UNKNOWN_SYMBOL for its ticker. It stays in /v1/markets for 30 days.')}</p></div>`;
}

function PriceSection({ market, price, laterMs }: { market: Market; price: PriceReport; laterMs: number }) {
  const nowMs = price.timestampMs + (market.ageMs ?? 0) + laterMs;
  return html`<${Section} title=${say('How this price came about')}><${Derivation} price=${price} quote=${market.quote} atMs=${nowMs} /><//>`;
}

function Details({ body }: { body: MarketDetail }) {
  const { market, upstream } = body;
  const { tickSize, minOrderSize, minOrderValue, amountPrecision } = market;
  const { ticker, quote, base } = market;
  const amount = (value: string, unit: string) => html`${grouped(value)} <small>${unit}</small>`;
  return html`<${Facts}
    rows=${[
      [say('Best ask, exchange'), upstream ? amount(upstream.ask, upstreamUnit(market)) : undefined],
      [say('Best bid, exchange'), upstream ? amount(upstream.bid, upstreamUnit(market)) : undefined],
      [say('Captured'), upstream ? html`<${When} atMs=${upstream.timestampMs} as="daySecond" />` : undefined],
      [say('High, 24 h'), ticker ? amount(ticker.high24h, quote) : undefined],
      [say('Low, 24 h'), ticker ? amount(ticker.low24h, quote) : undefined],
      [say('Average, 24 h'), ticker?.vwap24h ? amount(ticker.vwap24h, quote) : undefined],
      [say('Volume, 24 h'), ticker ? amount(ticker.volume24h, base) : undefined],
      [say('Smallest price step'), amount(tickSize, quote)],
      [say('Smallest order'), amount(minOrderSize, base)],
      [say('Smallest order value'), minOrderValue === null ? say('no minimum') : amount(minOrderValue, quote)],
      [
        say('Decimals'),
        say('{price} of a price, {amount} of an amount', { price: market.pricePrecision, amount: amountPrecision }),
      ],
      [
        say('Converted from'),
        market.convertedFrom
          ? html`<a href=${hrefTo('markets', market.convertedFrom)}>${market.convertedFrom}</a>`
          : undefined,
      ],
    ]}
  />`;
}

/** What the exchange's own price is in: the quote of the market it is made from. */
function upstreamUnit({ convertedFrom, base, quote }: Market): string {
  return convertedFrom?.startsWith(base) === true ? convertedFrom.slice(base.length) : quote;
}
