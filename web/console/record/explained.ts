import type { PriceReport, RecordedQuote } from '../../generated/management-v1.d.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Derivation } from '../market/derivation.ts';
import { Loaded } from '../parts/blocks.ts';
import { withQuery } from '../router.ts';

/** A record does not change: it is only asked again for what has not reached it yet. */
export const askAgainMs = 15_000;

export function pricePath(symbol: string, atMs: number): string {
  return withQuery(`history/prices/${encodeURIComponent(symbol)}`, { atMs: String(atMs) });
}

/** How a published price came about, step by step. */
export function Explained({ symbol, quote }: { symbol: string; quote: RecordedQuote }) {
  const polled = usePolled<PriceReport>(pricePath(symbol, quote.atMs), askAgainMs);
  return html`<${Loaded} polled=${polled}>
    ${(price: PriceReport) => html`<div>
      ${!isSame(price, quote) && html`<p class="note warn">${say('Another price was published in the same millisecond or by another process; its steps are below.')}</p>`}
      <${Derivation} price=${price} atMs=${quote.atMs} />
    </div>`}
  <//>`;
}

function isSame({ buy, sell }: PriceReport, { buyPrice, sellPrice }: RecordedQuote): boolean {
  return buy.at(-1)?.value === buyPrice && sell.at(-1)?.value === sellPrice;
}
