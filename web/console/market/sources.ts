import type { SourceQuote } from '../../generated/management-v1.d.ts';
import { grouped, signedPercent } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { spaced } from '../format/words.ts';
import { html } from '../html.ts';
import { Badge, Missing, Section } from '../parts/blocks.ts';
import { TableFrame } from '../parts/table.ts';

const tones: Readonly<Record<SourceQuote['state'], string | undefined>> = {
  used: 'good',
  standby: undefined,
  stale: 'bad',
  excluded: 'bad',
};

/** Where a market's price can come from, the preferred source first, and which makes it now. */
export function Sources({ sources, laterMs }: { sources: readonly SourceQuote[]; laterMs: number }) {
  const reportedAgeMs = sources[0]?.reportedAgeMs ?? null;
  return html`<${Section} title="Sources">
    <${TableFrame} label="Sources"><table>
      <thead><tr><th scope="col">Source</th><th scope="col">State</th><th scope="col" class="number">Bid</th><th scope="col" class="number">Ask</th><th scope="col" class="number">Age</th><th scope="col" class="number">Deviation</th></tr></thead>
      <tbody>${sources.map((source) => html`<${Row} key=${source.id} source=${source} laterMs=${laterMs} />`)}</tbody>
    </table><//>
    ${reportedAgeMs !== null && html`<p><small>As the process that runs the feed reported ${spanText(reportedAgeMs + laterMs)} ago.</small></p>`}
  <//>`;
}

function Row({ source, laterMs }: { source: SourceQuote; laterMs: number }) {
  const { id, state, reason, reach, bid, ask, ageMs, deviationPercent } = source;
  const none = html`<${Missing}>–<//>`;
  return html`<tr>
    <th scope="row">${id}</th>
    <td><${Badge} state=${state} tone=${tones[state]} /> <small>${reason === null ? reach : spaced(reason)}</small></td>
    <td class="number"><span class="exact">${bid === null ? none : grouped(bid)}</span></td>
    <td class="number"><span class="exact">${ask === null ? none : grouped(ask)}</span></td>
    <td class="number">${ageMs === null ? none : spanText(ageMs + laterMs)}</td>
    <td class="number">${deviationPercent === null ? none : signedPercent(deviationPercent)}</td>
  </tr>`;
}
