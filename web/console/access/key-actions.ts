import { useState } from 'preact/hooks';
import type { Key, NewKey } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { html } from '../html.ts';
import { Confirm } from '../parts/dialog.ts';
import { Choice } from '../parts/field.ts';
import { toast } from '../parts/toasts.ts';
import { goTo, hrefTo } from '../router.ts';
import { keyName } from './key-table.ts';
import { KeyText } from './key-text.ts';

type Deed = 'enable' | 'disable' | 'revoke' | 'rotate';

/** What an operator can do with a key. */
export function KeyActions({ entry, onChanged }: { entry: Key; onChanged: () => void }) {
  const [deed, setDeed] = useState<Deed | undefined>(undefined);
  const [made, setMade] = useState<NewKey | undefined>(undefined);
  const open = (next: Deed) => () => setDeed(next);
  const shared = { entry, onClose: () => setDeed(undefined) };
  const stored = () => {
    setMade(undefined);
    if (made !== undefined) goTo(hrefTo('keys', made.key.id));
  };
  return html`<span class="buttons">
    ${entry.status === 'active' && html`<button type="button" class="main" onClick=${open('rotate')}>Rotate</button>`}
    ${entry.status === 'active' && html`<button type="button" onClick=${open('disable')}>Disable</button>`}
    ${entry.status === 'disabled' && html`<button type="button" class="main" onClick=${open('enable')}>Enable</button>`}
    ${entry.status !== 'revoked' && html`<button type="button" class="dangerous-quiet" onClick=${open('revoke')}>Revoke</button>`}
    ${deed === 'rotate' && html`<${Rotate} ...${shared} onMade=${setMade} />`}
    ${deed !== undefined && deed !== 'rotate' && html`<${Change} ...${shared} deed=${deed} onChanged=${onChanged} />`}
    ${made && html`<${KeyText} made=${made} onClose=${stored} />`}
  </span>`;
}

const changes = {
  enable: { verb: 'Enable', done: 'enabled', text: 'The key works again within a second.' },
  disable: {
    verb: 'Disable',
    done: 'disabled',
    text: 'Requests with it are refused with 401 INVALID_API_KEY within a second. It can be enabled again.',
  },
  revoke: {
    verb: 'Revoke',
    done: 'revoked',
    text: 'This is final. Requests with it are refused with 401 INVALID_API_KEY within a second, and it cannot be brought back. To replace a key without an interruption, rotate it.',
  },
} as const;

interface ChangeProps {
  readonly entry: Key;
  readonly deed: keyof typeof changes;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

function Change({ entry, deed, onChanged, onClose }: ChangeProps) {
  const { verb, done, text } = changes[deed];
  const name = keyName(entry);
  const finish = () => {
    toast(`“${name}” is ${done}.`);
    onChanged();
  };
  return html`<${Confirm}
    title=${`${verb} “${name}”?`}
    action=${`${verb} key`}
    isDangerous=${deed === 'revoke'}
    act=${() => post<Key>(`keys/${encodeURIComponent(entry.id)}/${deed}`)}
    onDone=${finish}
    onClose=${onClose}
  ><p>${text}</p><//>`;
}

const hourMs = 60 * 60 * 1_000;
const overlaps = [
  [String(24 * hourMs), 'for a day'],
  [String(7 * 24 * hourMs), 'for a week'],
  [String(hourMs), 'for an hour'],
  ['0', 'not at all: it has leaked'],
] as const;

function Rotate({ entry, onMade, onClose }: { entry: Key; onMade: (made: NewKey) => void; onClose: () => void }) {
  const [overlap, setOverlap] = useState<string>(overlaps[0][0]);
  return html`<${Confirm}
    title=${`Rotate “${keyName(entry)}”?`}
    action="Make the new key"
    act=${() => post<NewKey>(`keys/${encodeURIComponent(entry.id)}/rotate`, { overlapMs: Number(overlap) })}
    onDone=${onMade}
    onClose=${onClose}
  >
    <p>A new key with the same label, limit and expiry is made and shown once. The old one goes on working meanwhile, so that its holder can change over.</p>
    <${Choice} label="The old key works on" value=${overlap} options=${overlaps} onChange=${setOverlap} />
  <//>`;
}
