import type { PriceReport, RecordedQuotePage, RecordSummary } from '../../generated/management-v1.d.ts';
import { countText } from '../format/decimal.ts';
import { localText } from '../format/time.ts';
import { html } from '../html.ts';
import { say, tell } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { gapText } from '../market/candle-spans.ts';
import { Derivation } from '../market/derivation.ts';
import { Empty, Loaded, Section } from '../parts/blocks.ts';
import { withQuery } from '../router.ts';
import { askAgainMs, pricePath } from './explained.ts';
import { instantText } from './questions.ts';
import { QuoteTable } from './quote-table.ts';

/** What a client saw of a market at an instant, and what was published around it. */
export function InstantView({ symbol, atMs }: { symbol: string; atMs: number }) {
  return html`<div>
    <${Section} title=${say('The price of {symbol}', { symbol })} aside=${instantText(atMs)}><${PriceThen} symbol=${symbol} atMs=${atMs} /><//>
    <${Section} title=${say('Published around it')}><${Around} symbol=${symbol} atMs=${atMs} /><//>
  </div>`;
}

function PriceThen({ symbol, atMs }: { symbol: string; atMs: number }) {
  const polled = usePolled<PriceReport>(pricePath(symbol, atMs), askAgainMs);
  if (polled.value === undefined && polled.problem?.kind === 'refused' && polled.problem.status === 404) {
    return html`<${NoPrice} text=${polled.problem.detail} atMs=${atMs} />`;
  }
  return html`<${Loaded} polled=${polled}>${(price: PriceReport) => html`<${Derivation} price=${price} atMs=${atMs} />`}<//>`;
}

/** Why there is none: a gap of the record names itself. */
function NoPrice({ text, atMs }: { text: string; atMs: number }) {
  const { value } = usePolled<RecordSummary>('history', askAgainMs);
  const gap = value?.gaps.find(({ fromMs, toMs }) => fromMs <= atMs && (toMs === null || atMs < toMs));
  const isBefore = value !== undefined && value.fromMs !== null && atMs < value.fromMs;
  return html`<${Empty} title=${text}>
    ${gap && say('The instant lies in a gap of the record: {gap}.', { gap: gapText(gap) })}
    ${gap === undefined && isBefore && say('The record begins {instant}.', { instant: localText(value.fromMs!, 'full') })}
  <//>`;
}

const aroundMs = 10_000;
const shownMax = 200;

function Around({ symbol, atMs }: { symbol: string; atMs: number }) {
  const span = { fromMs: String(Math.max(0, atMs - aroundMs)), toMs: String(atMs + aroundMs), limit: String(shownMax) };
  const path = withQuery(`history/quotes/${encodeURIComponent(symbol)}`, span);
  const polled = usePolled<RecordedQuotePage>(path, askAgainMs);
  return html`<${Loaded} polled=${polled}>
    ${({ quotes, next }: RecordedQuotePage) =>
      quotes.length === 0
        ? html`<${Empty} title=${say('Nothing was published within 10 seconds of it.')}>${say('What held before went on.')}<//>`
        : html`<div>
            <${QuoteTable} label=${say('Published around the instant')} symbol=${symbol} quotes=${quotes} atMs=${atMs} />
            ${next !== null && html`<p class="small">${tell('Only the first {count} of 20 seconds; all of them: <code>mdapi history quotes</code>.', { count: countText(quotes.length) })}</p>`}
          </div>`}
  <//>`;
}
