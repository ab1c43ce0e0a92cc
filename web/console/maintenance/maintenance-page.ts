import { useState } from 'preact/hooks';
import type { Window as MaintenanceWindow, WindowList } from '../../generated/management-v1.d.ts';
import { type Outcome, post } from '../api/client.ts';
import { localText, spanText, utcText } from '../format/time.ts';
import { html } from '../html.ts';
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
    html`<${Allowed} role="operator"><button type="button" class="main" onClick=${() => setAnnouncing(true)}>Announce maintenance</button><//>`;
  return html`<${Page} title="Maintenance" actions=${actions}>
    ${isAnnouncing && html`<${AnnounceForm} onAnnounced=${announced} onClose=${() => setAnnouncing(false)} />`}
    <${Loaded} polled=${polled}>${(body: WindowList) => html`<${Windows} windows=${body.windows} onChanged=${refresh} />`}<//>
  <//>`;
}

function Windows({ windows, onChanged }: { windows: readonly MaintenanceWindow[]; onChanged: () => void }) {
  useTicking();
  const open = windows.filter(({ state }) => state === 'running' || state === 'announced');
  const past = windows.filter(({ state }) => state === 'ended' || state === 'cancelled');
  return html`<div>
    <${Section} title="Running and announced">
      ${
        open.length === 0
          ? html`<${Empty} title="No maintenance is announced.">Announce early: clients see it in /v1/status and can plan.<//>`
          : html`<ul class="cards">${open.map((window) => html`<${OpenWindow} key=${window.id} window=${window} onChanged=${onChanged} />`)}</ul>`
      }
    <//>
    ${past.length > 0 && html`<${Section} title="Past"><${Past} windows=${past} /><//>`}
  </div>`;
}

function OpenWindow({ window, onChanged }: { window: MaintenanceWindow; onChanged: () => void }) {
  const { state, fromMs, toMs, description } = window;
  const nowMs = serverNowMs();
  const isRunning = state === 'running';
  return html`<li class="card">
    <div class="card-head">
      <p><${Badge} state=${state} /> <strong>${isRunning ? `${spanText(toMs - nowMs)} left` : `in ${spanText(fromMs - nowMs)}`}</strong></p>
      <${WindowActions} window=${window} onChanged=${onChanged} />
    </div>
    <p>${description}</p>
    <p class="small"><${When} atMs=${fromMs} as="full" /> to <${When} atMs=${toMs} as="full" />, ${spanText(toMs - fromMs)}</p>
  </li>`;
}

function Past({ windows }: { windows: readonly MaintenanceWindow[] }) {
  return html`<${TableFrame} label="Past maintenance"><table>
    <thead><tr><th scope="col">What</th><th scope="col">State</th><th scope="col">From</th><th scope="col">To</th></tr></thead>
    <tbody>${windows.map(
      ({ id, description, state, fromMs, toMs, endedAtMs }) => html`<tr key=${id}>
        <th scope="row" class="wrap">${description}</th>
        <td><${Badge} state=${state} /></td>
        <td><${When} atMs=${fromMs} as="full" /></td>
        <td>${endedAtMs !== null ? html`<${When} atMs=${endedAtMs} as="full" /> <small>early</small>` : html`<${When} atMs=${toMs} as="full" />`}</td>
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
  [String(15 * minuteMs), '15 minutes'],
  [String(30 * minuteMs), '30 minutes'],
  [String(60 * minuteMs), '1 hour'],
  [String(120 * minuteMs), '2 hours'],
] as const;

function Extend({ window: { toMs }, act, done }: ActionProps) {
  const [byMs, setByMs] = useState<string>(longer[1][0]);
  const newEndMs = toMs + Number(byMs);
  return html`<${ConfirmButton} text="Extend" title="Extend the maintenance?" action="Extend" act=${() => act('extend', { toMs: newEndMs })} onDone=${done('The maintenance is extended.')}>
    <${Choice} label="By" value=${byMs} options=${longer} onChange=${setByMs} />
    <p>It then ends at <strong>${localText(newEndMs)}</strong> (${utcText(newEndMs)}). Clients see the new end in /v1/status and in Retry-After within a second.</p>
  <//>`;
}

function End({ window: { toMs }, act, done }: ActionProps) {
  return html`<${ConfirmButton} text="End now" className="main" title="End the maintenance now?" action="End now" act=${() => act('end', {})} onDone=${done('The maintenance is over. Prices are served.')}>
    <p>Everything is served again within a second${toMs > serverNowMs() ? `, earlier than ${localText(toMs)}` : ''}. Clients that wait for Retry-After come back by then.</p>
  <//>`;
}

function Cancel({ window: { description }, act, done }: ActionProps) {
  return html`<${ConfirmButton} text="Cancel" className="dangerous-quiet" title="Cancel the maintenance?" action="Cancel the maintenance" isDangerous act=${() => act('cancel', {})} onDone=${done('The maintenance is cancelled.')}>
    <p>“${description}” will not take place. It goes from /v1/status within a second.</p>
  <//>`;
}
