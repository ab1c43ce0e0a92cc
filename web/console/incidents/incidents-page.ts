import type { FoundOutage, Incident, IncidentList } from '../../generated/management-v1.d.ts';
import { spanText } from '../format/time.ts';
import { type Content, html } from '../html.ts';
import { say, tell } from '../language.ts';
import { usePolled, useTicking } from '../live/polled.ts';
import { Allowed, Badge, Empty, Loaded, Page, Section, When } from '../parts/blocks.ts';
import { DialogButton } from '../parts/dialog.ts';
import { TableFrame } from '../parts/table.ts';
import { serverNowMs } from '../state.ts';
import { CloseForm, OpenForm, RenameForm, ReviewForm, UpdateForm } from './incident-forms.ts';
import { partTexts } from './writing.ts';

const everyMs = 3_000;

/** What people tell of trouble on the status page, and the outages that the service found. */
export function IncidentsPage() {
  const polled = usePolled<IncidentList>('incidents', everyMs);
  const { refresh } = polled;
  const open = (close: () => void) => html`<${OpenForm} onDone=${refresh} onClose=${close} />`;
  const actions = html`<${Allowed} role="operator"><${DialogButton} text=${say('Open an incident')} className="main">${open}<//><//>`;
  return html`<${Page} title=${say('Incidents')} actions=${actions}>
    <${Loaded} polled=${polled}>${(list: IncidentList) => html`<${Lists} list=${list} onChanged=${refresh} />`}<//>
  <//>`;
}

function Lists({ list: { incidents, drafts }, onChanged }: { list: IncidentList; onChanged: () => void }) {
  useTicking();
  const cards = (chosen: readonly Incident[]) =>
    html`<ul class="cards">${chosen.map((incident) => html`<${Card} key=${incident.id} incident=${incident} onChanged=${onChanged} />`)}</ul>`;
  const open = incidents.filter(({ state }) => state !== 'resolved');
  const resolved = incidents.filter(({ state }) => state === 'resolved');
  return html`<div>
    <${Section} title=${say('Open incidents')}>
      ${open.length === 0 ? html`<${Empty} title=${say('No incident is open.')}>${say('Write early, also that you do not know more yet: readers of the status page see that somebody is at it.')}<//>` : cards(open)}
    <//>
    ${drafts.length > 0 && html`<${Section} title=${say('Found by the service')}><p class="small">${say('Nobody has written about these outages. They stay on the status page as they were measured, whatever is written.')}</p><${Drafts} drafts=${drafts} onChanged=${onChanged} /><//>`}
    ${resolved.length > 0 && html`<${Section} title=${say('Resolved')}>${cards(resolved)}<//>`}
  </div>`;
}

function Drafts({ drafts, onChanged }: { drafts: readonly FoundOutage[]; onChanged: () => void }) {
  const form = (outage: FoundOutage) => (close: () => void) =>
    html`<${OpenForm} outage=${outage} onDone=${onChanged} onClose=${close} />`;
  return html`<${TableFrame} label=${say('Found by the service')}><table>
    <thead><tr><th scope="col">${say('Part')}</th><th scope="col">${say('State')}</th><th scope="col">${say('From')}</th><th scope="col">${say('Lasted')}</th><th scope="col"><span class="visually-hidden">${say('Write')}</span></th></tr></thead>
    <tbody>${drafts.map(
      (outage) => html`<tr key=${outage.id}>
        <th scope="row">${partTexts[outage.part]}</th>
        <td><${Badge} state=${outage.state} /></td>
        <td><${When} atMs=${outage.fromMs} as="full" /></td>
        <td>${lastedText(outage)}</td>
        <td><${Allowed} role="operator"><${DialogButton} text=${say('Write about it')}>${form(outage)}<//><//></td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}

function lastedText({ fromMs, toMs }: Pick<FoundOutage, 'fromMs' | 'toMs'>): string {
  return toMs === null ? say('{span} so far', { span: spanText(serverNowMs() - fromMs) }) : spanText(toMs - fromMs);
}

interface CardProps {
  readonly incident: Incident;
  readonly onChanged: () => void;
}

function Card({ incident, onChanged }: CardProps) {
  const { id, title, titleCs, state, parts, fromMs, measured, updates, review, reviewCs, toMs } = incident;
  const isOpen = toMs === null;
  const list = html`<ol class="plain told">${updates.map((update) => html`<${Update} key=${update.number} ...${update} />`)}</ol>`;
  return html`<li class="card incident">
    <div class="card-head">
      <div><p><${Badge} state=${state} /> <strong lang="en">${title}</strong></p>${titleCs !== null && html`<p class="small" lang="cs">${titleCs}</p>`}</div>
      <${Actions} incident=${incident} onChanged=${onChanged} />
    </div>
    <p class="small">${parts.map((part) => partTexts[part]).join(', ')} · ${tell('from {from}, {span}', { from: html`<${When} atMs=${fromMs} as="full" />`, span: lastedText(incident) })} · <code>${id}</code></p>
    ${measured !== null && html`<p class="small">${say('Measured')}: <${Badge} state=${measured.state} /> ${tell('from {from}, {span}', { from: html`<${When} atMs=${measured.fromMs} as="full" />`, span: lastedText(measured) })}</p>`}
    ${review !== null && html`<div class="told-review"><p class="small"><strong>${say('Review')}</strong></p><${Told} text=${review} textCs=${reviewCs} /></div>`}
    ${isOpen ? list : html`<details><summary>${say('Updates: {count}', { count: updates.length })}</summary>${list}</details>`}
  </li>`;
}

function Update({ state, atMs, text, textCs }: Incident['updates'][number]) {
  return html`<li><p class="small"><${When} atMs=${atMs} as="full" /> <${Badge} state=${state} /></p><${Told} text=${text} textCs=${textCs} /></li>`;
}

/** What clients read, as it was written. */
function Told({ text, textCs }: { text: string; textCs: string | null }) {
  return html`<div><p class="as-written" lang="en">${text}</p>${textCs !== null && html`<p class="as-written" lang="cs">${textCs}</p>`}</div>`;
}

type Form = typeof UpdateForm;

function Actions({ incident, onChanged }: CardProps) {
  const button = (text: string, form: Form, className?: string): Content =>
    html`<${DialogButton} text=${text} className=${className}>${(close: () => void) => html`<${form} incident=${incident} onDone=${onChanged} onClose=${close} />`}<//>`;
  const isOpen = incident.state !== 'resolved';
  return html`<${Allowed} role="operator">
    ${isOpen && button(say('Add an update'), UpdateForm, 'main')}
    ${isOpen && button(say('Close the incident'), CloseForm)}
    ${!isOpen && button(incident.review === null ? say('Write the review') : say('Change the review'), ReviewForm)}
    ${button(say('Title and parts'), RenameForm)}
  <//>`;
}
