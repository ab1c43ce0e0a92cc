import { useState } from 'preact/hooks';
import type { Window as MaintenanceWindow, WindowList } from '../../generated/management-v1.d.ts';
import { type Outcome, post } from '../api/client.ts';
import { localText, spanText, utcText } from '../format/time.ts';
import { html } from '../html.ts';
import { say, tell } from '../language.ts';
import { usePolled, useTicking } from '../live/polled.ts';
import { Allowed, Badge, Empty, Loaded, Page, Section, When } from '../parts/blocks.ts';
import { ConfirmButton } from '../parts/dialog.ts';
import { Choice } from '../parts/form.ts';
import { TableFrame } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { serverNowMs } from '../state.ts';
import { AnnounceForm } from './announce-form.ts';

const everyMs = 3_000;

/** Maintenance windows, past and to come, and the form for the next one. */
export function MaintenancePage() {
  const [isAnnouncing, setAnnouncing] = useState(false);
  const polled = usePolled<WindowList>('maintenance', everyMs);
  const { refresh } = polled;
  const announced = () => {
    setAnnouncing(false);
    refresh();
  };
  const actions =
    !isAnnouncing &&
    html`<${Allowed} role="operator"><button type="button" class="main" onClick=${() => setAnnouncing(true)}>${say('Announce maintenance')}</button><//>`;
  return html`<${Page} title=${say('Maintenance')} actions=${actions}>
    ${isAnnouncing && html`<${AnnounceForm} onAnnounced=${announced} onClose=${() => setAnnouncing(false)} />`}
    <${Loaded} polled=${polled}>${(body: WindowList) => html`<${Windows} windows=${body.windows} onChanged=${refresh} />`}<//>
  <//>`;
}

function Windows({ windows, onChanged }: { windows: readonly MaintenanceWindow[]; onChanged: () => void }) {
  useTicking();
  const open = windows.filter(({ state }) => state === 'running' || state === 'announced');
  const past = windows.filter(({ state }) => state === 'ended' || state === 'cancelled');
  return html`<div>
    <${Section} title=${say('Running and announced')}>
      ${
        open.length === 0
          ? html`<${Empty} title=${say('No maintenance is announced.')}>${say('Announce early: clients see it in /v1/status and can plan.')}<//>`
          : html`<ul class="cards">${open.map((window) => html`<${OpenWindow} key=${window.id} window=${window} onChanged=${onChanged} />`)}</ul>`
      }
    <//>
    ${past.length > 0 && html`<${Section} title=${say('Past')}><${Past} windows=${past} /><//>`}
  </div>`;
}

function OpenWindow({ window, onChanged }: { window: MaintenanceWindow; onChanged: () => void }) {
  const { state, fromMs, toMs, description } = window;
  const nowMs = serverNowMs();
  const isRunning = state === 'running';
  return html`<li class="card">
    <div class="card-head">
      <p><${Badge} state=${state} /> <strong>${isRunning ? say('{span} left', { span: spanText(toMs - nowMs) }) : say('in {span}', { span: spanText(fromMs - nowMs) })}</strong></p>
      <${WindowActions} window=${window} onChanged=${onChanged} />
    </div>
    <p>${description}</p>
    <p class="small">${tell('{from} to {to}, {span}', { from: html`<${When} atMs=${fromMs} as="full" />`, to: html`<${When} atMs=${toMs} as="full" />`, span: spanText(toMs - fromMs) })}</p>
  </li>`;
}

function Past({ windows }: { windows: readonly MaintenanceWindow[] }) {
  return html`<${TableFrame} label=${say('Past maintenance')}><table>
    <thead><tr><th scope="col">${say('What')}</th><th scope="col">${say('State')}</th><th scope="col">${say('From')}</th><th scope="col">${say('To')}</th></tr></thead>
    <tbody>${windows.map(
      ({ id, description, state, fromMs, toMs, endedAtMs }) => html`<tr key=${id}>
        <th scope="row" class="wrap">${description}</th>
        <td><${Badge} state=${state} /></td>
        <td><${When} atMs=${fromMs} as="full" /></td>
        <td>${endedAtMs !== null ? html`<${When} atMs=${endedAtMs} as="full" /> <small>${say('early')}</small>` : html`<${When} atMs=${toMs} as="full" />`}</td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}

/** What can be done with a window: a running one is extended or ended, an announced one extended or cancelled. */
function WindowActions({ window, onChanged }: { window: MaintenanceWindow; onChanged: () => void }) {
  const act = (action: string, body: object) =>
    post<MaintenanceWindow>(`maintenance/${encodeURIComponent(window.id)}/${action}`, body);
  const done = (text: string) => () => {
    toast(text);
    onChanged();
  };
  const shared = { window, act, done };
  return html`<${Allowed} role="operator">
    <${Extend} ...${shared} />
    ${window.state === 'running' ? html`<${End} ...${shared} />` : html`<${Cancel} ...${shared} />`}
  <//>`;
}

interface ActionProps {
  readonly window: MaintenanceWindow;
  readonly act: (action: string, body: object) => Promise<Outcome<MaintenanceWindow>>;
  /** Says that it is done. */
  readonly done: (text: string) => () => void;
}

const minuteMs = 60_000;
const longer = [
  [String(15 * minuteMs), spanText(15 * minuteMs)],
  [String(30 * minuteMs), spanText(30 * minuteMs)],
  [String(60 * minuteMs), spanText(60 * minuteMs)],
  [String(120 * minuteMs), spanText(120 * minuteMs)],
] as const;

function Extend({ window: { toMs }, act, done }: ActionProps) {
  const [byMs, setByMs] = useState<string>(longer[1][0]);
  const newEndMs = toMs + Number(byMs);
  return html`<${ConfirmButton} text=${say('Extend')} title=${say('Extend the maintenance?')} action=${say('Extend')} act=${() => act('extend', { toMs: newEndMs })} onDone=${done(say('The maintenance is extended.'))}>
    <${Choice} label=${say('By')} value=${byMs} options=${longer} onChange=${setByMs} />
    <p>${tell('It then ends at <strong>{end}</strong> ({utc}). Clients see the new end in /v1/status and in Retry-After within a second.', { end: localText(newEndMs), utc: utcText(newEndMs) })}</p>
  <//>`;
}

function End({ window: { toMs }, act, done }: ActionProps) {
  return html`<${ConfirmButton} text=${say('End now')} className="main" title=${say('End the maintenance now?')} action=${say('End now')} act=${() => act('end', {})} onDone=${done(say('The maintenance is over. Prices are served.'))}>
    <p>${toMs > serverNowMs() ? say('Everything is served again within a second, earlier than {end}.', { end: localText(toMs) }) : say('Everything is served again within a second.')} ${say('Clients that wait for Retry-After come back by then.')}</p>
  <//>`;
}

function Cancel({ window: { description }, act, done }: ActionProps) {
  return html`<${ConfirmButton} text=${say('Cancel')} className="dangerous-quiet" title=${say('Cancel the maintenance?')} action=${say('Cancel the maintenance')} isDangerous act=${() => act('cancel', {})} onDone=${done(say('The maintenance is cancelled.'))}>
    <p>${say('“{text}” will not take place. It goes from /v1/status within a second.', { text: description })}</p>
  <//>`;
}
