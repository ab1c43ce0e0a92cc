import type { Doubt, Market, SourceQuote } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { grouped, signedPercent } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { say, tell, word } from '../language.ts';
import { Allowed, Badge, Missing, Section } from '../parts/blocks.ts';
import { ConfirmButton } from '../parts/dialog.ts';
import { TableFrame } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { DoubtText } from './doubts.ts';

const tones: Readonly<Record<SourceQuote['state'], string | undefined>> = {
  used: 'good',
  standby: undefined,
  stale: 'bad',
  excluded: 'bad',
};

interface SourcesProps {
  readonly market: Market;
  readonly sources: readonly SourceQuote[];
  readonly laterMs: number;
  readonly onChanged: () => void;
}

/**
 * Where a market's price can come from, the preferred source first, which makes it now, and what is doubted of each.
 */
export function Sources({ market, sources, laterMs, onChanged }: SourcesProps) {
  const reportedAgeMs = sources[0]?.reportedAgeMs ?? null;
  return html`<${Section} title=${say('Sources')}>
    <${TableFrame} label=${say('Sources')}><table>
      <thead><tr><th scope="col">${say('Source')}</th><th scope="col">${say('State')}</th><th scope="col" class="number">${say('Bid')}</th><th scope="col" class="number">${say('Ask')}</th><th scope="col" class="number">${say('Age')}</th><th scope="col" class="number">${say('Last proved')}</th><th scope="col" class="number">${say('Deviation')}</th></tr></thead>
      <tbody>${sources.map((source) => html`<${Row} key=${source.id} source=${source} laterMs=${laterMs} />`)}</tbody>
    </table><//>
    ${market.doubts.map(
      (doubt) =>
        html`<div key=${doubt.source} class="note warn"><p><strong>${say('{subject} is doubted.', { subject: doubt.source })}</strong> <${DoubtText} doubt=${doubt} /></p>
          <${Allowed} role="operator"><p class="buttons"><${AcceptSource} market=${market} doubt=${doubt} onChanged=${onChanged} /></p><//>
        </div>`,
    )}
    ${reportedAgeMs !== null && html`<p><small>${say('As the process that runs the feed reported {span} ago.', { span: spanText(reportedAgeMs + laterMs) })}</small></p>`}
  <//>`;
}

interface AcceptProps {
  readonly market: Market;
  readonly doubt: Doubt;
  readonly onChanged: () => void;
}

function AcceptSource({ market: { symbol }, doubt: { source, bid, ask }, onChanged }: AcceptProps) {
  const title = say('Accept {source}', { source });
  const done = () => {
    toast(say('{source} is accepted for {symbol}.', { source, symbol }));
    onChanged();
  };
  return html`<${ConfirmButton}
    text=${title}
    title=${say('Accept {source} for {symbol}?', { source, symbol })}
    action=${title}
    act=${() => post<Market>(`markets/${encodeURIComponent(symbol)}/accept`, { source })}
    onDone=${done}
  ><p>${tell('You say that <code>{prices}</code> is right, whatever other sources and the guard say. The source can make the price from its next tick at this level on.', { prices: `${grouped(bid)} / ${grouped(ask)}` })}</p><//>`;
}

function Row({ source, laterMs }: { source: SourceQuote; laterMs: number }) {
  const { id, state, reason, reach, bid, ask, ageMs, deviationPercent } = source;
  const none = html`<${Missing}>–<//>`;
  return html`<tr>
    <th scope="row">${id}</th>
    <td><${Badge} state=${state} tone=${tones[state]} /> <small>${word(reason ?? reach)}</small></td>
    <td class="number"><span class="exact">${bid === null ? none : grouped(bid)}</span></td>
    <td class="number"><span class="exact">${ask === null ? none : grouped(ask)}</span></td>
    <td class="number">${ageMs === null ? none : spanText(ageMs + laterMs)}</td>
    <td class="number"><${Proved} source=${source} laterMs=${laterMs} /></td>
    <td class="number">${deviationPercent === null ? none : signedPercent(deviationPercent)}</td>
  </tr>`;
}

/** How long ago a source's price was last proved current, and how. */
export function Proved({ source, laterMs }: { source: SourceQuote; laterMs: number }) {
  const { provedAgeMs, provedBy } = source;
  if (provedAgeMs === null) return html`<${Missing}>–<//>`;
  return html`${spanText(provedAgeMs + laterMs)} <small>${provedBy === null ? '' : word(provedBy === 'live' ? 'live' : 'over REST')}</small>`;
}
