import { useState } from 'preact/hooks';
import type {
  AcknowledgedAlerts,
  Alert,
  AlertDelivery,
  AlertDeliveryList,
  AlertList,
  AlertTest,
} from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { conditions } from '../czech/conditions.ts';
import { saidText } from '../format/said.ts';
import { spanText } from '../format/time.ts';
import type { Tone } from '../format/words.ts';
import { html } from '../html.ts';
import { say, tell, word } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Allowed, Badge, Empty, Loaded, Missing, Page, Section, When } from '../parts/blocks.ts';
import { TableFrame } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';

const everyMs = 3_000;
const tones: Readonly<Record<string, Tone>> = { critical: 'bad', warning: 'warn', info: 'plan' };

/** What operators are told of, where, and what became of each message. */
export function AlertsPage() {
  const polled = usePolled<AlertList>('alerts', everyMs);
  const log = usePolled<AlertDeliveryList>('alerts/deliveries?limit=100', everyMs);
  return html`<${Page} title=${say('Alerts')}>
    <${Loaded} polled=${polled}>${({ alerts, destinations, ...times }: AlertList) => html`<div>
      <${Section} title=${say('On now')}><${Alerts} alerts=${alerts} onAcknowledged=${polled.refresh} /><//>
      <${Section} title=${say('Destinations')}>
        <${Destinations} destinations=${destinations} onTested=${log.refresh} />
        <p class="small">${timesText(times)}</p>
      <//>
    </div>`}<//>
    <${Section} title=${say('Delivery log')}><${Loaded} polled=${log}>${({ deliveries }: AlertDeliveryList) => html`<${Deliveries} deliveries=${deliveries} />`}<//><//>
  <//>`;
}

/** When alerts are sent, and sent again. */
function timesText(times: Omit<AlertList, 'alerts' | 'destinations'>): string {
  const { raiseAfterMs, endAfterMs, repeatAfterMs, escalateAfterMs } = times;
  const sentences = [
    say('An alert is sent once its condition has held for {raise}, and its end once it has been over for {end}.', {
      raise: spanText(raiseAfterMs),
      end: spanText(endAfterMs),
    }),
  ];
  if (repeatAfterMs > 0)
    sentences.push(
      say('One that nobody acknowledges is sent again every {repeat}.', { repeat: spanText(repeatAfterMs) }),
    );
  if (escalateAfterMs !== null)
    sentences.push(
      say('After {escalate} it goes to the second destinations too.', { escalate: spanText(escalateAfterMs) }),
    );
  return sentences.join(' ');
}

function Alerts({ alerts, onAcknowledged }: { alerts: readonly Alert[]; onAcknowledged: () => void }) {
  if (alerts.length === 0) return html`<${Empty} title=${say('No alert is on.')} />`;
  return html`<${TableFrame} label=${say('On now')}><table>
    <thead><tr><th scope="col">${say('Alert')}</th><th scope="col">${say('Severity')}</th><th scope="col">${say('Subject')}</th><th scope="col">${say('What')}</th><th scope="col">${say('Since')}</th><th scope="col">${say('Acknowledged')}</th></tr></thead>
    <tbody>${alerts.map((alert) => {
      const { id, name, subject, severity, summary, condition, raisedAtMs } = alert;
      return html`<tr key=${id}>
        <th scope="row">${name}</th><td><${Badge} state=${severity} tone=${tones[severity]} /></td><td class="wrap">${word(subject)}</td><td class="wrap">${saidText(summary, condition, conditions)}</td><td><${When} atMs=${raisedAtMs} /></td>
        <td class="wrap"><${Acknowledged} alert=${alert} onAcknowledged=${onAcknowledged} /></td>
      </tr>`;
    })}</tbody>
  </table><//>`;
}

/** Who knows of an alert; where nobody does, a button to say so. */
function Acknowledged({ alert, onAcknowledged }: { alert: Alert; onAcknowledged: () => void }) {
  const { id, name, subject, severity, repeats, acknowledgedBy, acknowledgedAtMs } = alert;
  const [isSending, setSending] = useState(false);
  if (acknowledgedAtMs !== null) return html`${acknowledgedBy} <small><${When} atMs=${acknowledgedAtMs} /></small>`;
  // It is never sent again.
  if (severity === 'info') return html`<${Missing} />`;
  const acknowledge = async () => {
    setSending(true);
    const outcome = await post<AcknowledgedAlerts>(`alerts/${id}/acknowledge`, {});
    setSending(false);
    if (outcome.ok) toast(say('{name} is acknowledged: it is not sent again.', { name }));
    else toast(outcome.problem.detail, 'bad');
    onAcknowledged();
  };
  const label = say('Acknowledge {name}: {subject}', { name, subject: word(subject) });
  return html`<${Allowed} role="operator"><button type="button" disabled=${isSending} aria-label=${label} onClick=${acknowledge}>${say('Acknowledge')}</button><//>
    ${repeats > 0 && html` <small>${say('sent again: {count}', { count: repeats })}</small>`}`;
}

function Destinations({ destinations, onTested }: { destinations: AlertList['destinations']; onTested: () => void }) {
  if (destinations.length === 0)
    return html`<div class="note warn">
      <p>${tell('<strong>No destination is configured</strong>, so no alert is sent. Set one in <code>mdapi.yaml</code> and restart:')}</p>
      <pre tabindex="0"><code>${'alerts:\n  destinations:\n    - name: ops\n      url: https://ops.example.com/hooks/mdapi\n      secret: whsec_bWFrZSB5b3VyIG93biBvbmUgcGxlYXNl'}</code></pre>
    </div>`;
  return html`<${TableFrame} label=${say('Destinations')}><table>
    <thead><tr><th scope="col">${say('Name')}</th><th scope="col">${say('Kind')}</th><th scope="col">${say('Told of')}</th><th scope="col"><span class="visually-hidden">${say('Send a test')}</span></th></tr></thead>
    <tbody>${destinations.map(
      ({ name, kind, events, isSecond }) => html`<tr key=${name}>
        <th scope="row">${name}</th><td>${word(kind)}</td><td class="wrap">${events.map((each) => (each === 'status' ? say('Status').toLowerCase() : word(each))).join(', ')}${isSecond && html` <small>${say('only what nobody acknowledges')}</small>`}</td>
        <td><${Allowed} role="operator"><${TestButton} name=${name} onTested=${onTested} /><//></td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}

function TestButton({ name, onTested }: { name: string; onTested: () => void }) {
  const [isSending, setSending] = useState(false);
  const send = async () => {
    setSending(true);
    const outcome = await post<AlertTest>('alerts/test', { destination: name });
    setSending(false);
    if (outcome.ok) toast(say('A test to {name} is on its way; the delivery log shows what becomes of it.', { name }));
    else toast(outcome.problem.detail, 'bad');
    onTested();
  };
  return html`<button type="button" disabled=${isSending} aria-label=${say('Send a test to {name}', { name })} onClick=${send}>${say('Send a test')}</button>`;
}

function Deliveries({ deliveries }: { deliveries: readonly AlertDelivery[] }) {
  if (deliveries.length === 0) return html`<${Empty} title=${say('Nothing was sent yet.')} />`;
  return html`<${TableFrame} label=${say('Delivery log')}><table>
    <thead><tr><th scope="col">${say('Alert')}</th><th scope="col">${say('Destination')}</th><th scope="col">${say('Status')}</th><th scope="col">${say('Attempts')}</th><th scope="col">${say('Made')}</th></tr></thead>
    <tbody>${deliveries.map(
      ({
        id,
        name,
        subject,
        step,
        destination,
        status,
        attempts,
        lastError,
        nextAttemptAtMs,
        createdAtMs,
      }) => html`<tr key=${id}>
        <th scope="row" class="wrap">${name} ${word(subject)}${step !== 'raised' && html` <small>${word(step)}</small>`}</th>
        <td>${destination}</td><td><${Badge} state=${status} /></td>
        <td class="wrap">${attempts === 0 ? html`<${Missing} />` : attempts}${lastError !== null && html`: ${lastError}`}
          ${nextAttemptAtMs !== null && attempts > 0 && html` <small>${tell('next {instant}', { instant: html`<${When} atMs=${nextAttemptAtMs} />` })}</small>`}</td>
        <td><${When} atMs=${createdAtMs} /></td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}
