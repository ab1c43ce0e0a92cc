import { useState } from 'preact/hooks';
import type { Window as MaintenanceWindow } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { localText, utcText } from '../format/time.ts';
import { html } from '../html.ts';
import { serverNowMs } from '../live/connection.ts';
import { Confirm } from '../parts/dialog.ts';
import { Choice } from '../parts/field.ts';
import { toast } from '../parts/toasts.ts';

type Deed = 'extend' | 'end' | 'cancel';

interface DeedProps {
  readonly window: MaintenanceWindow;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

/** What can be done with a window: one that runs is extended or ended, one to come is extended or cancelled. */
export function WindowActions({ window, onChanged }: { window: MaintenanceWindow; onChanged: () => void }) {
  const [deed, setDeed] = useState<Deed | undefined>(undefined);
  const shared: DeedProps = {
    window,
    onClose: () => setDeed(undefined),
    onDone: (text) => {
      toast(text);
      onChanged();
    },
  };
  return html`<span class="buttons">
    <button type="button" onClick=${() => setDeed('extend')}>Extend</button>
    ${
      window.state === 'running'
        ? html`<button type="button" class="main" onClick=${() => setDeed('end')}>End now</button>`
        : html`<button type="button" class="dangerous-quiet" onClick=${() => setDeed('cancel')}>Cancel</button>`
    }
    ${deed === 'extend' && html`<${Extend} ...${shared} />`}
    ${deed === 'end' && html`<${End} ...${shared} />`}
    ${deed === 'cancel' && html`<${Cancel} ...${shared} />`}
  </span>`;
}

function change(id: string, deed: Deed, body: object = {}) {
  return () => post<MaintenanceWindow>(`maintenance/${encodeURIComponent(id)}/${deed}`, body);
}

const minuteMs = 60_000;
const longer = [
  [String(15 * minuteMs), '15 minutes'],
  [String(30 * minuteMs), '30 minutes'],
  [String(60 * minuteMs), '1 hour'],
  [String(120 * minuteMs), '2 hours'],
] as const;

function Extend({ window: { id, toMs }, onClose, onDone }: DeedProps) {
  const [byMs, setByMs] = useState<string>(longer[1][0]);
  const newEndMs = toMs + Number(byMs);
  return html`<${Confirm} title="Extend the maintenance?" action="Extend" act=${change(id, 'extend', { toMs: newEndMs })} onDone=${() => onDone('The maintenance is extended.')} onClose=${onClose}>
    <${Choice} label="By" value=${byMs} options=${longer} onChange=${setByMs} />
    <p>It then ends at <strong>${localText(newEndMs)}</strong> (${utcText(newEndMs)}). Clients see the new end in /v1/status and in Retry-After within a second.</p>
  <//>`;
}

function End({ window: { id, toMs }, onClose, onDone }: DeedProps) {
  return html`<${Confirm} title="End the maintenance now?" action="End now" act=${change(id, 'end')} onDone=${() => onDone('The maintenance is over. Prices are served.')} onClose=${onClose}>
    <p>Everything is served again within a second${toMs > serverNowMs() ? `, earlier than ${localText(toMs)}` : ''}. Clients that wait for Retry-After come back by then.</p>
  <//>`;
}

function Cancel({ window: { id, description }, onClose, onDone }: DeedProps) {
  return html`<${Confirm} title="Cancel the maintenance?" action="Cancel the maintenance" isDangerous act=${change(id, 'cancel')} onDone=${() => onDone('The maintenance is cancelled.')} onClose=${onClose}>
    <p>“${description}” will not take place. It goes from /v1/status within a second.</p>
  <//>`;
}
