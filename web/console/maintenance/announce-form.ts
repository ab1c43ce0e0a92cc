import { useState } from 'preact/hooks';
import type {
  Window as MaintenanceWindow,
  ServiceStatus,
  Preview as WindowPreview,
} from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { localFieldText, parseLocal } from '../clock.ts';
import { localText, spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { Badge, ProblemBlock } from '../parts/blocks.ts';
import { Field, InstantField, useSubmitted } from '../parts/form.ts';
import { Preview, usePreview } from '../parts/preview.ts';
import { toast } from '../parts/toasts.ts';
import { serverNowMs } from '../state.ts';

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
    toast(say('The maintenance is announced.'));
    onAnnounced();
  });
  const [fromMs, toMs] = [parseLocal(from), parseLocal(to)];
  const wanted =
    fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs, description: description.trim() };
  const outcome = usePreview<WindowPreview>('maintenance/preview', wanted?.description === '' ? undefined : wanted);
  const send = (event: Event) => {
    event.preventDefault();
    if (wanted !== undefined) void submit(() => post<MaintenanceWindow>('maintenance', wanted));
  };
  const lasting = (durationMs: number) => setTo(localFieldText((parseLocal(from) ?? serverNowMs()) + durationMs));
  const isOfField = ['fromMs', 'toMs', 'description'].some((field) => faultOf(field) !== undefined);
  return html`<div class="announce">
    <form class="panel" onSubmit=${send}>
      <h2>${say('Announce maintenance')}</h2>
      <div class="pair">
        <${InstantField} label=${say('From')} text=${from} setText=${setFrom} atMs=${fromMs} fault=${faultOf('fromMs')}>
          <button type="button" onClick=${() => setFrom(localFieldText(serverNowMs()))}>${say('Now')}</button>
        <//>
        <${InstantField} label=${say('To')} text=${to} setText=${setTo} atMs=${toMs} fault=${faultOf('toMs')}>
          ${durations.map(([durationMs, text]) => html`<button key=${text} type="button" aria-label=${say('Lasting {span}', { span: text })} onClick=${() => lasting(durationMs)}>${text}</button>`)}
        <//>
      </div>
      <${Field} label=${say('Description')} value=${description} onInput=${setDescription} fault=${faultOf('description')} hint=${say('Clients read it, in English: what is done, not who does it.')} more=${{ required: true, maxlength: 500, autocomplete: 'off' }} />
      ${problem && !isOfField && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy || wanted === undefined}>${say('Announce')}</button><button type="button" onClick=${onClose}>${say('Go back')}</button></p>
    </form>
    <${Preview} title=${say('What clients will see')} hint=${say('Fill in the form, and the answers of the service appear here.')} outcome=${outcome}>
      ${(preview: WindowPreview) => html`<${Shown} preview=${preview} />`}
    <//>
  </div>`;
}

function nextHalfHour(atMs: number): number {
  return Math.ceil(atMs / (hourMs / 2)) * (hourMs / 2);
}

function Shown({ preview: { before, during, retryAfterSeconds, overlaps } }: { preview: WindowPreview }) {
  const { ticker, status } = during;
  return html`<div>
    ${overlaps.length > 0 && html`<div class="note warn"><p><strong>${say('It overlaps with maintenance already announced.')}</strong> ${say('Clients see the one that ends last.')}</p><ul>${overlaps.map(({ id, fromMs, toMs, description }) => html`<li key=${id}>${say('{from} to {to}: {text}', { from: localText(fromMs), to: localText(toMs), text: description })}</li>`)}</ul></div>`}
    <h3>${say('From the announcement on')}</h3>
    <${Answer} line="GET /v1/status" status=${200} body=${statusParts(before)} />
    <h3>${say('While it runs')}</h3>
    <${Answer} line="GET /v1/tickers" status=${ticker.httpStatus} headers=${ticker.headers} body=${ticker.body} />
    <p class="hint">${say('They wait {span} at its start, and less the nearer its end comes.', { span: spanText(retryAfterSeconds * 1_000) })}</p>
    <details><summary>${say('GET /v1/status while it runs')}</summary><${Answer} line="GET /v1/status" status=${200} body=${statusParts(status)} /></details>
  </div>`;
}

/** What the window changes in the status; the clock and the feed's instants are left out. */
function statusParts({ status, api, components, maintenance }: ServiceStatus): object {
  return { status, api, components, maintenance };
}

interface AnswerProps {
  readonly line: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

function Answer({ line, status, headers = {}, body }: AnswerProps) {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  return html`<figure class="answer">
    <figcaption><code>${line}</code> <${Badge} state=${String(status)} tone=${status < 400 ? 'good' : 'plan'} /></figcaption>
    <pre tabindex="0"><code>${head.join('')}${head.length > 0 ? '\n' : ''}${JSON.stringify(body, null, 2)}</code></pre>
  </figure>`;
}
