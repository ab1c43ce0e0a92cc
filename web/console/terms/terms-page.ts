import { useState } from 'preact/hooks';
import type { Term, TermList } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { grouped } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { say, word } from '../language.ts';
import { usePolled, useTicking } from '../live/polled.ts';
import { Allowed, Badge, Empty, Loaded, Missing, Page, Section, When } from '../parts/blocks.ts';
import { ConfirmButton } from '../parts/dialog.ts';
import { TableFrame } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { serverNowMs } from '../state.ts';
import { TermForm } from './term-form.ts';

const everyMs = 3_000;

/** What prices are made with, what is announced, and the form for the next change. */
export function TermsPage() {
  const [isSetting, setSetting] = useState(false);
  const polled = usePolled<TermList>('terms', everyMs);
  const { refresh } = polled;
  const set = () => {
    setSetting(false);
    refresh();
  };
  const actions =
    !isSetting &&
    html`<${Allowed} role="operator"><button type="button" class="main" onClick=${() => setSetting(true)}>${say('Set a term')}</button><//>`;
  return html`<${Page} title=${say('Terms')} actions=${actions}>
    ${isSetting && html`<${TermForm} onSet=${set} onClose=${() => setSetting(false)} />`}
    <${Loaded} polled=${polled}>${(body: TermList) => html`<${Terms} terms=${body.terms} onChanged=${refresh} />`}<//>
  <//>`;
}

function Terms({ terms, onChanged }: { terms: readonly Term[]; onChanged: () => void }) {
  useTicking();
  const inState = (...states: readonly Term['state'][]) => terms.filter(({ state }) => states.includes(state));
  const [announced, past] = [inState('announced'), inState('past', 'cancelled').toReversed()];
  return html`<div>
    <${Section} title=${say('Announced')}>
      ${
        announced.length === 0
          ? html`<${Empty} title=${say('No change is announced.')} />`
          : html`<${Table} label=${say('Announced terms')} terms=${announced} onChanged=${onChanged} />`
      }
    <//>
    <${Section} title=${say('In force')}>
      <p class="hint">${say('Of several that set the same value the narrowest holds: market, then quote currency, then service.')}</p>
      <${Table} label=${say('Terms in force')} terms=${inState('holding')} onChanged=${onChanged} />
    <//>
    ${past.length > 0 && html`<${Section} title=${say('Past')}><${Table} label=${say('Past terms')} terms=${past} onChanged=${onChanged} /><//>`}
  </div>`;
}

function Table({ label, terms, onChanged }: { label: string; terms: readonly Term[]; onChanged: () => void }) {
  return html`<${TableFrame} label=${label}><table>
    <thead><tr><th scope="col">${say('For')}</th><th scope="col">${say('From')}</th><th scope="col" class="number">${say('Fee')}</th><th scope="col" class="number">${say('Margin')}</th><th scope="col" class="number">${say('Decimals')}</th><th scope="col">${say('Rounding')}</th><th scope="col">${say('Id')}</th><th scope="col">${say('State')}</th></tr></thead>
    <tbody>${terms.map((term) => html`<${Row} key=${`${term.id} ${term.scope} ${term.subject}`} term=${term} onChanged=${onChanged} />`)}</tbody>
  </table><//>`;
}

function Row({ term, onChanged }: { term: Term; onChanged: () => void }) {
  const { fromMs, subject, rounding, pricePrecision, id, state } = term;
  const value = (field: Term['inherits'][number], text: string | null) => {
    if (term.inherits.includes(field)) return html`<${Missing}>${say('inherit')}<//>`;
    return text ?? html`<${Missing}>–<//>`;
  };
  const percent = (text: string | null) => (text === null ? null : `${grouped(text)}\u00a0%`);
  return html`<tr>
    <th scope="row">${subject ?? say('whole service')}</th>
    <td>${fromMs === null ? say('configuration') : html`<${When} atMs=${fromMs} as="full" />`}</td>
    <td class="number">${value('feePercent', percent(term.feePercent))}</td>
    <td class="number">${value('marginPercent', percent(term.marginPercent))}</td>
    <td class="number">${value('pricePrecision', pricePrecision === null ? null : String(pricePrecision))}</td>
    <td>${value('rounding', rounding === null ? null : word(rounding))}</td>
    <td><code>${id}</code></td>
    <td>${state === 'announced' ? html`<${Announced} term=${term} onChanged=${onChanged} />` : html`<${Badge} state=${state} />`}</td>
  </tr>`;
}

function Announced({ term: { id, subject, fromMs }, onChanged }: { term: Term; onChanged: () => void }) {
  const done = () => {
    toast(say('The term is cancelled.'));
    onChanged();
  };
  const cancel = () => post<Term>(`terms/${encodeURIComponent(id)}/cancel`);
  return html`<span class="buttons">${say('in {span}', { span: spanText((fromMs ?? 0) - serverNowMs()) })}
    <${Allowed} role="operator">
      <${ConfirmButton} text=${say('Cancel')} label=${say('Cancel {id}', { id })} className="dangerous-quiet" title=${say('Cancel the term?')} action=${say('Cancel the term')} isDangerous act=${cancel} onDone=${done}>
        <p>${subject === null ? say('Prices of the whole service stay as they are.') : say('Prices of {subject} stay as they are.', { subject })}</p>
      <//>
    <//>
  </span>`;
}
