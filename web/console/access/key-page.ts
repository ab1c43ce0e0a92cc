import { useState } from 'preact/hooks';
import type { Key, KeyUsage, NewKey, Notice } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { counted } from '../format/decimal.ts';
import { spanText } from '../format/time.ts';
import { html } from '../html.ts';
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
    ? { href: hrefTo('accounts', value.key.accountId), text: value.key.accountEmail ?? 'Its account' }
    : { href: hrefTo('accounts'), text: 'All accounts' };
  const actions = value && html`<${KeyActions} entry=${value.key} onChanged=${refresh} />`;
  return html`<${Page} title=${value ? keyName(value.key) : 'Key'} actions=${actions} up=${up}>
    <${Loaded} polled=${polled}>${(usage: KeyUsage) => html`<${Body} usage=${usage} />`}<//>
  <//>`;
}

function Body({ usage }: { usage: KeyUsage }) {
  const { key, limitPerMinute, currentMinute, breaches, notices } = usage;
  return html`<div>
    <${KeyFacts} entry=${key} limitPerMinute=${limitPerMinute} />
    <div class="pair"><${Section} title="This minute">
      <${Meter} used=${currentMinute.used} limit=${limitPerMinute} label="Requests used this minute" />
      <p class="small">${currentMinute.refused === 0 ? 'No request was refused.' : html`<strong>${counted(currentMinute.refused, 'request')} refused</strong> with 429.`} The minute ends in ${spanText(Math.max(0, currentMinute.startedAtMs + 60_000 - serverNowMs()))}.</p>
    <//>
    <${Section} title="Minutes over the limit"><${Breaches} breaches=${breaches} /><//></div>
    <${Section} title="Notices to the holder"><${Notices} notices=${notices} /><//>
  </div>`;
}

function KeyFacts({ entry, limitPerMinute }: { entry: Key; limitPerMinute: number }) {
  return html`<${Facts}
    rows=${[
      ['State', html`<${Badge} state=${entry.state} />`],
      ['Ends in', html`<code>…${entry.lastFour}</code>`],
      ['Limit', `${limitPerMinute} a minute${entry.limitPerMinute === null ? ', the standard' : ', its own'}`],
      ['Expires', entry.expiresAtMs === null ? 'never' : html`<${When} atMs=${entry.expiresAtMs} as="full" />`],
      ['Created', html`<${When} atMs=${entry.createdAtMs} as="full" />`],
      [
        'Replaced by',
        entry.replacedBy === null ? undefined : html`<a href=${hrefTo('keys', entry.replacedBy)}>the newer key</a>`,
      ],
      ['Id', html`<code>${entry.id}</code>`],
      ['History', html`<a href=${hrefWith(['audit'], { subject: entry.id })}>in the audit log</a>`],
    ]}
  />`;
}

function Breaches({ breaches }: { breaches: KeyUsage['breaches'] }) {
  if (breaches.length === 0) return html`<${Empty} title="None.">Every request of this key was within its limit.<//>`;
  const refused = breaches.reduce((sum, breach) => sum + breach.refused, 0);
  return html`<div>
    <p>${counted(breaches.length, 'minute')} over the limit, ${counted(refused, 'request')} refused. The latest:</p>
    <${TableFrame} label="Minutes over the limit"><table>
      <thead><tr><th scope="col">Minute</th><th scope="col" class="number">Refused</th><th scope="col" class="number">Limit</th></tr></thead>
      <tbody>${breaches.slice(0, listed).map((breach) => html`<tr key=${breach.minuteMs}><td><${When} atMs=${breach.minuteMs} as="full" /></td><td class="number">${breach.refused}</td><td class="number">${breach.limitPerMinute}</td></tr>`)}</tbody>
    </table><//>
  </div>`;
}

function Notices({ notices }: { notices: readonly Notice[] }) {
  if (notices.length === 0)
    return html`<${Empty} title="None.">The holder gets an e-mail when the limit is breached repeatedly.<//>`;
  return html`<ul class="plain">${notices.map(
    ({ id, status, createdAtMs, lastError, requestsRefused, breachedMinutes }) =>
      html`<li key=${id}><${Badge} state=${status} /> <${When} atMs=${createdAtMs} as="full" />: ${counted(requestsRefused, 'request')} refused in ${counted(breachedMinutes, 'minute')} ${lastError === null ? '' : html`<${Missing}>${lastError}<//>`}</li>`,
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
    ${status !== 'revoked' && html`<${DialogButton} text="Edit">${edit}<//>`}
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
    toast('The key is changed.');
    onClose();
    onChanged();
  };
  return html`<${KeyForm} title="Change key" initial=${entry} send=${send} onDone=${done} onClose=${onClose} />`;
}

const changes = {
  enable: { verb: 'Enable', className: 'main', done: 'enabled', text: 'The key works again within a second.' },
  disable: {
    verb: 'Disable',
    className: undefined,
    done: 'disabled',
    text: 'Requests with it are refused with 401 INVALID_API_KEY within a second. It can be enabled again.',
  },
  revoke: {
    verb: 'Revoke',
    className: 'dangerous-quiet',
    done: 'revoked',
    text: 'This is final. Requests with it are refused with 401 INVALID_API_KEY within a second, and it cannot be brought back. To replace a key without an interruption, rotate it.',
  },
} as const;

function Change({ entry, action, onChanged }: ActionProps & { action: keyof typeof changes }) {
  const { verb, className, done, text } = changes[action];
  const name = keyName(entry);
  const finish = () => {
    toast(`“${name}” is ${done}.`);
    onChanged();
  };
  return html`<${ConfirmButton}
    text=${verb}
    className=${className}
    title=${`${verb} “${name}”?`}
    action=${`${verb} key`}
    isDangerous=${action === 'revoke'}
    act=${() => post<Key>(`keys/${encodeURIComponent(entry.id)}/${action}`)}
    onDone=${finish}
  ><p>${text}</p><//>`;
}

const hourMs = 60 * 60 * 1_000;
const overlaps = [
  [String(24 * hourMs), 'for a day'],
  [String(7 * 24 * hourMs), 'for a week'],
  [String(hourMs), 'for an hour'],
  ['0', 'not at all: it has leaked'],
] as const;

function Rotate({ entry, onMade }: { entry: Key; onMade: (made: NewKey) => void }) {
  const [overlap, setOverlap] = useState<string>(overlaps[0][0]);
  return html`<${ConfirmButton}
    text="Rotate"
    className="main"
    title=${`Rotate “${keyName(entry)}”?`}
    action="Make the new key"
    act=${() => post<NewKey>(`keys/${encodeURIComponent(entry.id)}/rotate`, { overlapMs: Number(overlap) })}
    onDone=${onMade}
  >
    <p>A new key with the same label, limit and expiry is made and shown once. The old one keeps working meanwhile, so that its holder can switch.</p>
    <${Choice} label="The old key works on" value=${overlap} options=${overlaps} onChange=${setOverlap} />
  <//>`;
}
