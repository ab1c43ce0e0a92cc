import { useState } from 'preact/hooks';
import type { Window as MaintenanceWindow, WindowList } from '../../generated/management-v1.d.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { serverNowMs } from '../live/connection.ts';
import { usePolled } from '../live/polled.ts';
import { useTicking } from '../live/ticking.ts';
import { Empty, Loaded, Section } from '../parts/blocks.ts';
import { Page } from '../parts/page.ts';
import { TableFrame } from '../parts/table-frame.ts';
import { Badge, When } from '../parts/words.ts';
import { AnnounceForm } from './announce-form.ts';
import { WindowActions } from './window-actions.ts';

const everyMs = 3_000;

/** Maintenance windows: what is to come and what was, and the form for the next one. */
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
    html`<button type="button" class="main" onClick=${() => setAnnouncing(true)}>Announce maintenance</button>`;
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
