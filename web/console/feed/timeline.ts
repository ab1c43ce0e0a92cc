import type { FeedSpan } from '../../generated/management-v1.d.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { serverNowMs } from '../live/connection.ts';
import { Empty } from '../parts/blocks.ts';
import { TableFrame } from '../parts/table-frame.ts';
import { Badge, When } from '../parts/words.ts';
import { dayMs, type Piece, piecesOf, summaryOf } from './spans.ts';

const width = 960;
const height = 36;
const listed = 12;

/** A day of the feed as a band: each state its own colour and its own height, and the same as a list. */
export function FeedTimeline({ spans }: { spans: readonly FeedSpan[] }) {
  const nowMs = serverNowMs();
  const pieces = piecesOf(spans, nowMs);
  if (pieces.length === 0)
    return html`<${Empty} title="Nothing was noted yet.">The time line begins with the first data.<//>`;
  const x = (atMs: number) => ((atMs - (nowMs - dayMs)) / dayMs) * width;
  return html`<div class="timeline">
    <svg viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label=${summaryOf(pieces)}>
      <rect class="unknown" x="0" y="0" width=${width} height=${height} />
      ${pieces.map(({ state, fromMs, toMs }) => {
        const tall = heights[state];
        return html`<rect key=${fromMs} class=${state} x=${x(fromMs)} y=${height - tall} width=${Math.max(2, x(toMs) - x(fromMs))} height=${tall} />`;
      })}
    </svg>
    <p class="scale small" aria-hidden="true"><span>24 h ago</span><span>18 h</span><span>12 h</span><span>6 h</span><span>now</span></p>
    <p class="band-legend small"><span class="mark live"></span> live <span class="mark fallback"></span> fallback <span class="mark outage"></span> outage <span class="mark unknown"></span> not known</p>
    <details><summary>As a list</summary><${List} pieces=${pieces} /></details>
  </div>`;
}

const heights: Readonly<Record<FeedSpan['state'], number>> = {
  live: height,
  fallback: height * 0.66,
  outage: height * 0.33,
};

function List({ pieces }: { pieces: readonly Piece[] }) {
  const latest = [...pieces].reverse().slice(0, listed);
  return html`<${TableFrame} label="States of the feed"><table>
    <thead><tr><th scope="col">State</th><th scope="col">From</th><th scope="col">To</th><th scope="col">For</th></tr></thead>
    <tbody>${latest.map(
      ({ state, fromMs, toMs, isOpen }) => html`<tr key=${fromMs}>
        <td><${Badge} state=${state} tone=${state === 'outage' ? 'bad' : undefined} /></td>
        <td><${When} atMs=${fromMs} as="daySecond" /></td>
        <td>${isOpen ? 'now' : html`<${When} atMs=${toMs} as="daySecond" />`}</td>
        <td>${spanText(toMs - fromMs)}</td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}
