import type { Feed as FeedBody, FeedSpan, SourceReload } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { sourceChanges } from '../czech/said.ts';
import { countText } from '../format/decimal.ts';
import { saidText } from '../format/said.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { say, tell, word } from '../language.ts';
import { usePolled, useTicking } from '../live/polled.ts';
import { Allowed, Badge, Empty, Loaded, Missing, Page, Section, Tile, When } from '../parts/blocks.ts';
import { ConfirmButton } from '../parts/dialog.ts';
import { TableFrame } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { hrefTo } from '../router.ts';
import { serverNowMs } from '../state.ts';
import { RatesSection } from './rates-section.ts';
import { SourceCard } from './source-card.ts';
import { dayMs, type Piece, piecesOf, stateNames, summaryOf } from './spans.ts';

const feedEveryMs = 2_000;

/** Where the prices come from and how well they come. */
export function FeedPage() {
  const feed = usePolled<FeedBody>('feed', feedEveryMs);
  const reload = html`<${Allowed} role="operator"><${ReloadSources} onDone=${feed.refresh} /><//>`;
  return html`<${Page} title=${say('Feed and rates')} actions=${reload}>
    <${Loaded} polled=${feed}>${(body: FeedBody) => html`<${Feed} body=${body} receivedAtMs=${feed.receivedAtMs} />`}<//>
    <${RatesSection} />
  <//>`;
}

function ReloadSources({ onDone }: { onDone: () => void }) {
  const done = ({ changes, changeCodes }: SourceReload) => {
    toast(
      changes.length === 0
        ? say('Nothing has changed.')
        : say('The sources are reloaded: {changes}.', {
            changes: changes.map((change, at) => saidText(change, changeCodes[at], sourceChanges)).join('; '),
          }),
    );
    onDone();
  };
  return html`<${ConfirmButton}
    text=${say('Reload sources')}
    title=${say('Reload the sources?')}
    action=${say('Reload sources')}
    act=${() => post<SourceReload>('sources/reload')}
    onDone=${done}
  ><p>${say('This process reads its configuration again and takes over which sources there are, their order and which are paused. Those that stay as they are keep their connections. Where anything else changed, or is wrong, it takes over nothing.')}</p><//>`;
}

const pathWords: Readonly<Record<string, string>> = {
  live: say('at least nine in ten markets over WebSocket, from their first source'),
  fallback: say('more than a tenth over REST, or from another source'),
};

function Feed({
  body: { path, flow, served, dataAgeMs, sources, timeline },
  receivedAtMs,
}: {
  body: FeedBody;
  receivedAtMs: number;
}) {
  const laterMs = Math.max(0, useTicking() - receivedAtMs);
  return html`<div>
    <div class="tiles">
      <${PathTile} path=${path} flow=${flow} />
      <${Tile} name=${say('Age of the data')}>${dataAgeMs === null ? html`<${Missing}>${say('none yet')}<//>` : spanText(dataAgeMs + laterMs)}<//>
      <${ServedTile} served=${served} />
      <${OldestTile} served=${served} laterMs=${laterMs} />
    </div>
    <h2 class="cards-title">${say('Sources')}</h2>
    <div class="sources">${sources.map((source) => html`<${SourceCard} key=${source.id} source=${source} laterMs=${laterMs} />`)}</div>
    <${Section} title=${say('Last 24 hours')}><${FeedTimeline} spans=${timeline} /><//>
  </div>`;
}

/** How many of the markets that have a price are served over their best path, and how the others are. */
function ServedTile({ served }: Pick<FeedBody, 'served'>) {
  const { markets, best, polled, standby, silent } = served;
  const lesser = [
    polled > 0 && say('{count} over REST', { count: countText(polled) }),
    standby > 0 && say('{count} from a standby', { count: countText(standby) }),
    silent > 0 && say('{count} not delivered', { count: countText(silent) }),
  ].filter((text) => text !== false);
  const note = markets === 0 ? say('no price yet') : lesser.join(', ') || say('all live or merely quiet');
  return html`<${Tile} name=${say('Prices over their best path')} note=${note}>${countText(best)} <small>${say('of {count}', { count: countText(markets) })}</small><//>`;
}

/** The market whose price was not proved current for longest. */
function OldestTile({ served: { oldest }, laterMs }: Pick<FeedBody, 'served'> & { laterMs: number }) {
  if (oldest === null) return html`<${Tile} name=${say('Oldest price')}><${Missing}>${say('none yet')}<//><//>`;
  const href = hrefTo('markets', oldest.market);
  const note = html`<a href=${href}>${oldest.market}</a>, ${say(oldest.by === 'live' ? 'last proved live' : 'last proved over REST')}`;
  return html`<${Tile} name=${say('Oldest price')} note=${note}>${spanText(oldest.ageMs + laterMs)}<//>`;
}

/** The path that data comes over, or that it does not come. */
function PathTile({ path, flow }: Pick<FeedBody, 'path' | 'flow'>) {
  if (flow.state !== 'silent')
    return html`<${Tile} name=${say('Path')} note=${pathWords[path]}><${Badge} state=${path} /><//>`;
  const since =
    flow.sinceMs && tell('since {instant}', { instant: html`<${When} atMs=${flow.sinceMs} as="daySecond" />` });
  const note = html`${since}${since && '; '}${say('WebSocket and REST are tried again and again')}`;
  return html`<${Tile} name=${say('Path')} note=${note}><${Badge} state="no data" tone="bad" /><//>`;
}

const width = 960;
const height = 36;
const listed = 12;

/** A day of the feed as a band: each state its own colour and its own height, and the same as a list. */
export function FeedTimeline({ spans }: { spans: readonly FeedSpan[] }) {
  const nowMs = serverNowMs();
  const pieces = piecesOf(spans, nowMs);
  if (pieces.length === 0)
    return html`<${Empty} title=${say('Nothing recorded yet.')}>${say('The timeline starts with the first data.')}<//>`;
  const x = (atMs: number) => ((atMs - (nowMs - dayMs)) / dayMs) * width;
  return html`<div class="timeline">
    <svg viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label=${summaryOf(pieces)}>
      <rect class="unknown" x="0" y="0" width=${width} height=${height} />
      ${pieces.map(({ state, fromMs, toMs }) => {
        const tall = heights[state];
        return html`<rect key=${fromMs} class=${state} x=${x(fromMs)} y=${height - tall} width=${Math.max(2, x(toMs) - x(fromMs))} height=${tall} />`;
      })}
    </svg>
    <p class="scale small" aria-hidden="true"><span>${say('24 h ago')}</span><span>18 h</span><span>12 h</span><span>6 h</span><span>${say('now')}</span></p>
    <p class="band-legend small"><span class="mark live"></span> ${word('live')} <span class="mark fallback"></span> ${word('fallback')} <span class="mark silent"></span> ${word(stateNames.silent)} <span class="mark unknown"></span> ${say('not known')}</p>
    <details><summary>${say('As a list')}</summary><${List} pieces=${pieces} /></details>
  </div>`;
}

const heights: Readonly<Record<FeedSpan['state'], number>> = {
  live: height,
  fallback: height * 0.66,
  silent: height * 0.33,
};

function List({ pieces }: { pieces: readonly Piece[] }) {
  const latest = [...pieces].reverse().slice(0, listed);
  return html`<${TableFrame} label=${say('States of the feed')}><table>
    <thead><tr><th scope="col">${say('State')}</th><th scope="col">${say('From')}</th><th scope="col">${say('To')}</th><th scope="col">${say('Lasted')}</th></tr></thead>
    <tbody>${latest.map(
      ({ state, fromMs, toMs, isOpen }) => html`<tr key=${fromMs}>
        <td><${Badge} state=${stateNames[state]} tone=${state === 'silent' ? 'bad' : undefined} /></td>
        <td><${When} atMs=${fromMs} as="daySecond" /></td>
        <td>${isOpen ? say('now') : html`<${When} atMs=${toMs} as="daySecond" />`}</td>
        <td>${spanText(toMs - fromMs)}</td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}
