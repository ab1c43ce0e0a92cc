import { useState } from 'preact/hooks';
import type { Key, KeyUsage, NewKey, Notice } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { counted, countText } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { say, tell } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Allowed, Badge, Empty, Facts, Loaded, Missing, Page, Section, When } from '../parts/blocks.ts';
import { ConfirmButton, DialogButton } from '../parts/dialog.ts';
import { Choice } from '../parts/form.ts';
import { Meter } from '../parts/pictures.ts';
import { TableFrame } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { goTo, hrefTo, hrefWith } from '../router.ts';
import { serverNowMs } from '../state.ts';
import { type KeyFields, KeyForm } from './key-form.ts';
import { KeyText, keyName } from './keys.ts';

const everyMs = 2_000;
const listed = 12;

/** One key: how much it is used, where it went over its limit, and what can be done with it. */
export function KeyPage({ id }: { id: string }) {
  const polled = usePolled<KeyUsage>(`keys/${encodeURIComponent(id)}/usage`, everyMs);
  const { value, refresh } = polled;
  const up = value
    ? { href: hrefTo('accounts', value.key.accountId), text: value.key.accountEmail ?? say('Its account') }
    : { href: hrefTo('accounts'), text: say('All accounts') };
  const actions = value && html`<${KeyActions} entry=${value.key} onChanged=${refresh} />`;
  return html`<${Page} title=${value ? keyName(value.key) : say('Key')} actions=${actions} up=${up}>
    <${Loaded} polled=${polled}>${(usage: KeyUsage) => html`<${Body} usage=${usage} />`}<//>
  <//>`;
}

function Body({ usage }: { usage: KeyUsage }) {
  const { key, limitPerMinute, currentMinute, breaches, notices } = usage;
  return html`<div>
    <${KeyFacts} entry=${key} limitPerMinute=${limitPerMinute} />
    <div class="pair"><${Section} title=${say('This minute')}>
      <${Meter} used=${currentMinute.used} limit=${limitPerMinute} label=${say('Requests used this minute')} />
      <p class="small">${currentMinute.refused === 0 ? say('No request was refused.') : tell('<strong>{requests}</strong> with 429.', { requests: counted(currentMinute.refused, 'request refused') })} ${say('The minute ends in {span}.', { span: spanText(Math.max(0, currentMinute.startedAtMs + 60_000 - serverNowMs())) })}</p>
    <//>
    <${Section} title=${say('Minutes over the limit')}><${Breaches} breaches=${breaches} /><//></div>
    <${Section} title=${say('Notices to the holder')}><${Notices} notices=${notices} /><//>
  </div>`;
}

function KeyFacts({ entry, limitPerMinute }: { entry: Key; limitPerMinute: number }) {
  return html`<${Facts}
    rows=${[
      [say('State'), html`<${Badge} state=${entry.state} />`],
      [say('Ends in'), html`<code>…${entry.lastFour}</code>`],
      [
        say('Limit'),
        say(entry.limitPerMinute === null ? '{count} a minute, the standard' : '{count} a minute, its own', {
          count: countText(limitPerMinute),
        }),
      ],
      [
        say('Expires'),
        entry.expiresAtMs === null ? say('never') : html`<${When} atMs=${entry.expiresAtMs} as="full" />`,
      ],
      [say('Created'), html`<${When} atMs=${entry.createdAtMs} as="full" />`],
      [
        say('Replaced by'),
        entry.replacedBy === null
          ? undefined
          : html`<a href=${hrefTo('keys', entry.replacedBy)}>${say('the newer key')}</a>`,
      ],
      [say('Id'), html`<code>${entry.id}</code>`],
      [say('History'), html`<a href=${hrefWith(['audit'], { subject: entry.id })}>${say('in the audit log')}</a>`],
    ]}
  />`;
}

function Breaches({ breaches }: { breaches: KeyUsage['breaches'] }) {
  if (breaches.length === 0)
    return html`<${Empty} title=${say('None.')}>${say('Every request of this key was within its limit.')}<//>`;
  const refused = breaches.reduce((sum, breach) => sum + breach.refused, 0);
  return html`<div>
    <p>${say('{minutes} over the limit, {requests}. The latest:', { minutes: counted(breaches.length, 'minute'), requests: counted(refused, 'request refused') })}</p>
    <${TableFrame} label=${say('Minutes over the limit')}><table>
      <thead><tr><th scope="col">${say('Minute')}</th><th scope="col" class="number">${say('Refused')}</th><th scope="col" class="number">${say('Limit')}</th></tr></thead>
      <tbody>${breaches.slice(0, listed).map((breach) => html`<tr key=${breach.minuteMs}><td><${When} atMs=${breach.minuteMs} as="full" /></td><td class="number">${countText(breach.refused)}</td><td class="number">${countText(breach.limitPerMinute)}</td></tr>`)}</tbody>
    </table><//>
  </div>`;
}

function Notices({ notices }: { notices: readonly Notice[] }) {
  if (notices.length === 0)
    return html`<${Empty} title=${say('None.')}>${say('The holder gets an e-mail when the limit is breached repeatedly.')}<//>`;
  return html`<ul class="plain">${notices.map(
    ({ id, status, createdAtMs, lastError, requestsRefused, breachedMinutes }) =>
      html`<li key=${id}><${Badge} state=${status} /> <${When} atMs=${createdAtMs} as="full" />: ${say('{requests} in {minutes}', { requests: counted(requestsRefused, 'request refused'), minutes: counted(breachedMinutes, 'in minutes') })} ${lastError === null ? '' : html`<${Missing}>${lastError}<//>`}</li>`,
  )}</ul>`;
}

interface ActionProps {
  readonly entry: Key;
  readonly onChanged: () => void;
}

/** What an operator can do with a key. */
function KeyActions({ entry, onChanged }: ActionProps) {
  const [made, setMade] = useState<NewKey | undefined>(undefined);
  const { status } = entry;
  const stored = () => {
    setMade(undefined);
    if (made !== undefined) goTo(hrefTo('keys', made.key.id));
  };
  const edit = (close: () => void) => html`<${Edit} entry=${entry} onChanged=${onChanged} onClose=${close} />`;
  const change = (action: keyof typeof changes) =>
    html`<${Change} key=${action} entry=${entry} action=${action} onChanged=${onChanged} />`;
  return html`<${Allowed} role="support">
    ${status === 'active' && html`<${Rotate} entry=${entry} onMade=${setMade} />`}
    ${status !== 'revoked' && html`<${DialogButton} text=${say('Edit')}>${edit}<//>`}
    ${status === 'active' && change('disable')}
    ${status === 'disabled' && change('enable')}
    ${status !== 'revoked' && change('revoke')}
    ${made && html`<${KeyText} made=${made} onClose=${stored} />`}
  <//>`;
}

function Edit({ entry, onChanged, onClose }: ActionProps & { onClose: () => void }) {
  const send = (fields: KeyFields) => {
    const changed = Object.entries(fields).filter(([name, value]) => value !== entry[name as keyof KeyFields]);
    return post<Key>(`keys/${encodeURIComponent(entry.id)}/update`, Object.fromEntries(changed));
  };
  const done = () => {
    toast(say('The key is changed.'));
    onClose();
    onChanged();
  };
  return html`<${KeyForm} title=${say('Change key')} initial=${entry} send=${send} onDone=${done} onClose=${onClose} />`;
}

const changes = {
  enable: {
    verb: say('Enable'),
    title: 'Enable “{name}”?',
    action: say('Enable key'),
    className: 'main',
    done: '“{name}” is enabled.',
    text: say('The key works again within a second.'),
  },
  disable: {
    verb: say('Disable'),
    title: 'Disable “{name}”?',
    action: say('Disable key'),
    className: undefined,
    done: '“{name}” is disabled.',
    text: say('Requests with it are refused with 401 INVALID_API_KEY within a second. It can be enabled again.'),
  },
  revoke: {
    verb: say('Revoke'),
    title: 'Revoke “{name}”?',
    action: say('Revoke key'),
    className: 'dangerous-quiet',
    done: '“{name}” is revoked.',
    text: say(
      'This is final. Requests with it are refused with 401 INVALID_API_KEY within a second, and it cannot be brought back. To replace a key without an interruption, rotate it.',
    ),
  },
} as const;

function Change({ entry, action, onChanged }: ActionProps & { action: keyof typeof changes }) {
  const { verb, title, action: actionText, className, done, text } = changes[action];
  const name = keyName(entry);
  const finish = () => {
    toast(say(done, { name }));
    onChanged();
  };
  return html`<${ConfirmButton}
    text=${verb}
    className=${className}
    title=${say(title, { name })}
    action=${actionText}
    isDangerous=${action === 'revoke'}
    act=${() => post<Key>(`keys/${encodeURIComponent(entry.id)}/${action}`)}
    onDone=${finish}
  ><p>${text}</p><//>`;
}

const hourMs = 60 * 60 * 1_000;
const overlaps = [
  [String(24 * hourMs), say('for a day')],
  [String(7 * 24 * hourMs), say('for a week')],
  [String(hourMs), say('for an hour')],
  ['0', say('not at all: it has leaked')],
] as const;

function Rotate({ entry, onMade }: { entry: Key; onMade: (made: NewKey) => void }) {
  const [overlap, setOverlap] = useState<string>(overlaps[0][0]);
  return html`<${ConfirmButton}
    text=${say('Rotate')}
    className="main"
    title=${say('Rotate “{name}”?', { name: keyName(entry) })}
    action=${say('Make the new key')}
    act=${() => post<NewKey>(`keys/${encodeURIComponent(entry.id)}/rotate`, { overlapMs: Number(overlap) })}
    onDone=${onMade}
  >
    <p>${say('A new key with the same label, limit and expiry is made and shown once. The old one keeps working meanwhile, so that its holder can switch.')}</p>
    <${Choice} label=${say('The old key works on')} value=${overlap} options=${overlaps} onChange=${setOverlap} />
  <//>`;
}
