import type { Feed as FeedBody, Rate, RateList } from '../../generated/management-v1.d.ts';
import { countText } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { spaced } from '../format/words.ts';
import { html } from '../html.ts';
import { usePolled } from '../live/polled.ts';
import { useTicking } from '../live/ticking.ts';
import { Empty, Loaded, Section } from '../parts/blocks.ts';
import { Page } from '../parts/page.ts';
import { TableFrame } from '../parts/table-frame.ts';
import { Tile } from '../parts/tile.ts';
import { Badge, Facts, Missing, When } from '../parts/words.ts';
import { figuresOf } from './figures.ts';
import { FeedTimeline } from './timeline.ts';

const feedEveryMs = 2_000;
const ratesEveryMs = 5_000;

/** Where the prices come from and how well they come. */
export function FeedPage() {
  const feed = usePolled<FeedBody>('feed', feedEveryMs);
  const rates = usePolled<RateList>('rates', ratesEveryMs);
  return html`<${Page} title="Feed and rates">
    <${Loaded} polled=${feed}>${(body: FeedBody) => html`<${Feed} body=${body} receivedAtMs=${feed.receivedAtMs} />`}<//>
    <${Section} title="Conversion rates">
      <${Loaded} polled=${rates}>${(body: RateList) => html`<${Rates} rates=${body.rates} receivedAtMs=${rates.receivedAtMs} />`}<//>
    <//>
  <//>`;
}

const pathWords: Readonly<Record<string, string>> = {
  live: 'WebSocket, as prices change',
  fallback: 'REST, asked every few seconds',
};

function Feed({ body: { path, dataAgeMs, health, timeline }, receivedAtMs }: { body: FeedBody; receivedAtMs: number }) {
  const laterMs = Math.max(0, useTicking() - receivedAtMs);
  return html`<div>
    <div class="tiles">
      <${Tile} name="Path" note=${path === null ? undefined : pathWords[path]}>${path === null ? html`<${Missing}>not chosen yet<//>` : html`<${Badge} state=${path} />`}<//>
      <${Tile} name="Age of the data">${dataAgeMs === null ? html`<${Missing}>none yet<//>` : spanText(dataAgeMs + laterMs)}<//>
      <${Tile} name="Markets subscribed">${countText(health.symbolsSubscribed)} <small>of ${countText(health.symbolsWanted)}</small><//>
      <${Tile} name="The exchange says">${health.systemStatus === null ? html`<${Missing}>nothing yet<//>` : spaced(health.systemStatus)}<//>
    </div>
    <${Section} title="Last 24 hours"><${FeedTimeline} spans=${timeline} /><//>
    <${Section} title="Health">
      <${Facts} rows=${figuresOf(health)} />
    <//>
  </div>`;
}

function Rates({ rates, receivedAtMs }: { rates: readonly Rate[]; receivedAtMs: number }) {
  const laterMs = Math.max(0, useTicking() - receivedAtMs);
  if (rates.length === 0)
    return html`<${Empty} title="No quote currency is converted.">Name one under pricing.converted in the configuration.<//>`;
  return html`<${TableFrame} label="Conversion rates"><table>
    <thead><tr><th scope="col">Pair</th><th scope="col" class="number">Mid rate</th><th scope="col">State</th><th scope="col">Source</th><th scope="col">Fixing</th><th scope="col">Read</th><th scope="col">Valid until</th><th scope="col" class="number">Margin</th><th scope="col">Last attempt</th></tr></thead>
    <tbody>${rates.map((rate) => html`<${RateRow} key=${rate.quote} rate=${rate} laterMs=${laterMs} />`)}</tbody>
  </table><//>`;
}

function RateRow({ rate, laterMs }: { rate: Rate; laterMs: number }) {
  const none = html`<${Missing}>–<//>`;
  return html`<tr>
    <th scope="row">${rate.via}/${rate.quote}</th>
    <td class="number"><span class="exact">${rate.mid ?? none}</span></td>
    <td>${rate.valid ? html`<${Badge} state="valid" tone="good" />` : html`<${Badge} state="not valid" tone="bad" />`}</td>
    <td>${rate.source}</td>
    <td>${rate.fixingDate ?? none}</td>
    <td>${rate.ageMs === null ? none : `${spanText(rate.ageMs + laterMs)} ago`}</td>
    <td>${rate.validUntilMs === null ? none : html`<${When} atMs=${rate.validUntilMs} />`}</td>
    <td class="number">${rate.marginPercent} %</td>
    <td>${rate.lastOutcome === null ? none : spaced(rate.lastOutcome)}</td>
  </tr>`;
}
