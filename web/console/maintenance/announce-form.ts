import { useId, useState } from 'preact/hooks';
import type { Window as MaintenanceWindow } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { localFieldText, parseLocal } from '../clock.ts';
import { localZoneText, utcText } from '../format/time.ts';
import { html } from '../html.ts';
import { serverNowMs } from '../live/connection.ts';
import { ProblemBlock } from '../parts/blocks.ts';
import { Field } from '../parts/field.ts';
import { useSubmitted } from '../parts/submitted.ts';
import { toast } from '../parts/toasts.ts';
import { Preview } from './preview.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const durations = [
  [15 * minuteMs, '15 min'],
  [30 * minuteMs, '30 min'],
  [hourMs, '1 h'],
  [2 * hourMs, '2 h'],
  [4 * hourMs, '4 h'],
] as const;

interface FormProps {
  readonly onAnnounced: () => void;
  readonly onClose: () => void;
}

/** Announces a window: in local time, with UTC beside it, and with what clients will see. */
export function AnnounceForm({ onAnnounced, onClose }: FormProps) {
  const [from, setFrom] = useState(() => localFieldText(nextHalfHour(serverNowMs() + hourMs)));
  const [to, setTo] = useState(() => localFieldText(nextHalfHour(serverNowMs() + hourMs) + hourMs));
  const [description, setDescription] = useState('');
  const { isBusy, problem, faultOf, submit } = useSubmitted<MaintenanceWindow>(() => {
    toast('The maintenance is announced.');
    onAnnounced();
  });
  const [fromMs, toMs] = [parseLocal(from), parseLocal(to)];
  const wanted =
    fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs, description: description.trim() };
  const send = (event: Event) => {
    event.preventDefault();
    if (wanted !== undefined) void submit(() => post<MaintenanceWindow>('maintenance', wanted));
  };
  const lasting = (durationMs: number) => setTo(localFieldText((parseLocal(from) ?? serverNowMs()) + durationMs));
  const isOfField = ['fromMs', 'toMs', 'description'].some((field) => faultOf(field) !== undefined);
  return html`<div class="announce">
    <form class="panel" onSubmit=${send}>
      <h2>Announce maintenance</h2>
      <div class="pair">
        <${Instant} label="From" text=${from} setText=${setFrom} atMs=${fromMs} fault=${faultOf('fromMs')}>
          <button type="button" onClick=${() => setFrom(localFieldText(serverNowMs()))}>Now</button>
        <//>
        <${Instant} label="To" text=${to} setText=${setTo} atMs=${toMs} fault=${faultOf('toMs')}>
          ${durations.map(([durationMs, text]) => html`<button key=${text} type="button" aria-label=${`Lasting ${text}`} onClick=${() => lasting(durationMs)}>${text}</button>`)}
        <//>
      </div>
      <${Field} label="Description" value=${description} onInput=${setDescription} fault=${faultOf('description')} hint="Clients read it, in English: what is done, not who does it." more=${{ required: true, maxlength: 500, autocomplete: 'off' }} />
      ${problem && !isOfField && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy || wanted === undefined}>Announce</button><button type="button" onClick=${onClose}>Go back</button></p>
    </form>
    <${Preview} wanted=${wanted} />
  </div>`;
}

interface InstantProps {
  readonly label: string;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly atMs: number | undefined;
  readonly fault: string | undefined;
  readonly children?: unknown;
}

function Instant({ label, text, setText, atMs, fault, children }: InstantProps) {
  const id = useId();
  const zone = localZoneText(atMs ?? serverNowMs());
  const hint = atMs === undefined ? 'Not an instant yet.' : utcText(atMs);
  return html`<div>
    <${Field} label=${`${label} (your time, ${zone})`} type="datetime-local" value=${text} onInput=${setText} hint=${hint} fault=${fault} more=${{ required: true }} />
    <p class="presets buttons" role="group" aria-labelledby=${id}><span id=${id} class="visually-hidden">Presets for ${label}</span>${children}</p>
  </div>`;
}

function nextHalfHour(atMs: number): number {
  return Math.ceil(atMs / (hourMs / 2)) * (hourMs / 2);
}
