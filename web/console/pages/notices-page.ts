import { useState } from 'preact/hooks';
import type { Notice, NoticeList, NoticeMail } from '../../generated/management-v1.d.ts';
import { counted } from '../format/decimal.ts';
import { html } from '../html.ts';
import { say, tell } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Badge, Empty, Loaded, Missing, Page, When } from '../parts/blocks.ts';
import { Dialog } from '../parts/dialog.ts';
import { Choice } from '../parts/form.ts';
import { TableFrame } from '../parts/table.ts';
import { hrefTo, withQuery } from '../router.ts';

const everyMs = 5_000;
const statuses = [
  ['', say('Any status')],
  ['pending', say('Pending')],
  ['sent', say('Sent')],
  ['failed', say('Failed')],
  ['unconfirmed', say('Unconfirmed')],
  ['recorded', say('Recorded, not sent')],
] as const;

/** The outbox: e-mails to holders of keys that breached their limit repeatedly. */
export function NoticesPage() {
  const [status, setStatus] = useState('');
  const [shown, setShown] = useState<string | undefined>(undefined);
  const polled = usePolled<NoticeList>(withQuery('notices', { status, limit: '100' }), everyMs);
  return html`<${Page} title=${say('Notices')}>
    <${Loaded} polled=${polled}>
      ${({ mailConfigured, notices }: NoticeList) => html`<div>
        <${Mail} isConfigured=${mailConfigured} />
        <div class="filter"><${Choice} label=${say('Status')} value=${status} options=${statuses} onChange=${setStatus} /></div>
        <${Notices} notices=${notices} onShow=${setShown} />
      </div>`}
    <//>
    ${shown && html`<${PreviewDialog} id=${shown} onClose=${() => setShown(undefined)} />`}
  <//>`;
}

function Mail({ isConfigured }: { isConfigured: boolean }) {
  if (isConfigured)
    return html`<p class="note good">${say('Mail is configured. Notices are sent as soon as they are made.')}</p>`;
  return html`<div class="note warn">
    <p>${tell('<strong>No mail server is configured</strong>, so notices are recorded and not sent. Set one in <code>mdapi.yaml</code>, or with its password in <code>MDAPI_MAIL_SMTP_FILE</code>, and restart:')}</p>
    <pre tabindex="0"><code>${'mail:\n  smtp: smtps://mail.example.com\n  from: Market data <api@example.com>'}</code></pre>
    <p>${tell('Then try it with <code>mdapi notices send-test --to you@example.com</code>.')}</p>
  </div>`;
}

function Notices({ notices, onShow }: { notices: readonly Notice[]; onShow: (id: string) => void }) {
  if (notices.length === 0)
    return html`<${Empty} title=${say('No notices.')}>${say('A key holder gets one when a key breaches its limit repeatedly.')}<//>`;
  return html`<${TableFrame} label=${say('Notices')}><table>
    <thead><tr><th scope="col">${say('Recipient')}</th><th scope="col">${say('Key')}</th><th scope="col">${say('Status')}</th><th scope="col">${say('About')}</th><th scope="col">${say('Made')}</th><th scope="col">${say('Sent')}</th><th scope="col"><span class="visually-hidden">${say('Preview')}</span></th></tr></thead>
    <tbody>${notices.map((notice) => html`<${NoticeRow} key=${notice.id} notice=${notice} onShow=${onShow} />`)}</tbody>
  </table><//>`;
}

function NoticeRow({ notice, onShow }: { notice: Notice; onShow: (id: string) => void }) {
  const {
    id,
    keyId,
    label,
    lastFour,
    accountEmail,
    status,
    attempts,
    createdAtMs,
    sentAtMs,
    lastError,
    requestsRefused,
    breachedMinutes,
  } = notice;
  return html`<tr>
    <th scope="row" class="wrap">${accountEmail ?? html`<${Missing}>${say('account is gone')}<//>`}</th>
    <td><a href=${hrefTo('keys', keyId)}>${label === '' ? `…${lastFour}` : label}</a></td>
    <td><${Badge} state=${status} /> ${attempts > 1 && html`<small>${counted(attempts, 'attempt')}</small>`}</td>
    <td class="wrap">${say('{requests} in {minutes}', { requests: counted(requestsRefused, 'request refused'), minutes: counted(breachedMinutes, 'in minutes') })}</td>
    <td><${When} atMs=${createdAtMs} /></td>
    <td class=${lastError === null ? '' : 'wrap'}>${sentAtMs === null ? lastError || html`<${Missing}>–<//>` : html`<${When} atMs=${sentAtMs} />`}</td>
    <td><button type="button" aria-label=${say('Preview the notice to {email}', { email: accountEmail ?? say('nobody') })} onClick=${() => onShow(id)}>${say('Preview')}</button></td>
  </tr>`;
}

const onceMs = 24 * 60 * 60 * 1_000;

function PreviewDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const polled = usePolled<NoticeMail>(`notices/${encodeURIComponent(id)}/preview`, onceMs);
  return html`<${Dialog} title=${say('The notice')} wide onClose=${onClose}>
    <${Loaded} polled=${polled}>${({ subject, text }: NoticeMail) => html`<p><strong>${subject}</strong></p><pre class="mail" tabindex="0"><code>${text}</code></pre>`}<//>
    <p class="buttons"><button type="button" class="main" onClick=${onClose}>${say('Close')}</button></p>
  <//>`;
}
