import { useState } from 'preact/hooks';
import type { AccountDetail, NewKey } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { parseLocal } from '../clock.ts';
import { localZoneText, utcText } from '../format/time.ts';
import { html } from '../html.ts';
import { usePolled } from '../live/polled.ts';
import { Allowed, Badge, Empty, Facts, Loaded, Page, ProblemBlock, Section, When } from '../parts/blocks.ts';
import { Confirm, Dialog } from '../parts/dialog.ts';
import { Field, useSubmitted } from '../parts/form.ts';
import { toast } from '../parts/toasts.ts';
import { hrefTo, hrefWith } from '../router.ts';
import { serverNowMs } from '../state.ts';
import { KeyTable, KeyText } from './keys.ts';

const everyMs = 5_000;

/** One account with its keys. */
export function AccountPage({ id }: { id: string }) {
  const polled = usePolled<AccountDetail>(`accounts/${encodeURIComponent(id)}`, everyMs);
  const { value, refresh } = polled;
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<NewKey | undefined>(undefined);
  const show = (key: NewKey) => {
    setCreating(false);
    setMade(key);
    refresh();
  };
  const actions =
    value && html`<${Actions} account=${value} onCreate=${() => setCreating(true)} onChanged=${refresh} />`;
  return html`<${Page} title=${value?.email ?? 'Account'} actions=${actions} up=${{ href: hrefTo('accounts'), text: 'All accounts' }}>
    <${Loaded} polled=${polled}>${(account: AccountDetail) => html`<${Body} account=${account} />`}<//>
    ${isCreating && value && html`<${CreateKey} accountId=${value.id} onMade=${show} onClose=${() => setCreating(false)} />`}
    ${made && html`<${KeyText} made=${made} onClose=${() => setMade(undefined)} />`}
  <//>`;
}

function Body({ account }: { account: AccountDetail }) {
  const { id, active, createdAtMs, keysList } = account;
  return html`<div>
    <${Facts}
      rows=${[
        ['State', html`<${Badge} state=${active ? 'active' : 'inactive'} tone=${active ? 'good' : 'warn'} />`],
        ['Created', html`<${When} atMs=${createdAtMs} as="full" />`],
        ['Id', html`<code>${id}</code>`],
        ['History', html`<a href=${hrefWith(['audit'], { subject: id })}>in the audit log</a>`],
      ]}
    />
    ${!active && html`<p class="note warn">The account is inactive: all its keys are refused with 401 INVALID_API_KEY.</p>`}
    <${Section} title="Keys">
      ${keysList.length === 0 ? html`<${Empty} title="This account has no keys yet.">Create one and give it to the holder over a channel you trust.<//>` : html`<${KeyTable} keys=${keysList} />`}
    <//>
  </div>`;
}

interface ActionsProps {
  readonly account: AccountDetail;
  readonly onCreate: () => void;
  readonly onChanged: () => void;
}

function Actions({ account: { id, email, active }, onCreate, onChanged }: ActionsProps) {
  const [isAsking, setAsking] = useState(false);
  const action = active ? 'deactivate' : 'activate';
  const done = () => {
    toast(`The account of ${email} is ${active ? 'inactive' : 'active again'}.`);
    onChanged();
  };
  return html`<${Allowed} role="support">
    <button type="button" class="main" onClick=${onCreate}>Create key</button>
    <button type="button" onClick=${() => setAsking(true)}>${active ? 'Deactivate' : 'Activate'}</button>
    ${
      isAsking &&
      html`<${Confirm}
        title=${active ? `Deactivate ${email}?` : `Activate ${email}?`}
        action=${active ? 'Deactivate account' : 'Activate account'}
        isDangerous=${active}
        act=${() => post(`accounts/${encodeURIComponent(id)}/${action}`)}
        onDone=${done}
        onClose=${() => setAsking(false)}
      >
        <p>${active ? 'All keys of the account are refused with 401 INVALID_API_KEY within a second. Activating it brings them back.' : 'Its active keys work again within a second.'}</p>
      <//>`
    }
  <//>`;
}

interface CreateKeyProps {
  readonly accountId: string;
  readonly onMade: (made: NewKey) => void;
  readonly onClose: () => void;
}

/** Asks for what a new key can have of its own; everything is optional. */
function CreateKey({ accountId, onMade, onClose }: CreateKeyProps) {
  const [label, setLabel] = useState('');
  const [expires, setExpires] = useState('');
  const [limit, setLimit] = useState('');
  const { isBusy, problem, faultOf, submit } = useSubmitted<NewKey>(onMade);
  const expiresAtMs = parseLocal(expires);
  const send = (event: Event) => {
    event.preventDefault();
    void submit(() =>
      post<NewKey>('keys', {
        accountId,
        ...(label.trim() === '' ? {} : { label: label.trim() }),
        ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
        ...(limit.trim() === '' ? {} : { limitPerMinute: Number(limit) }),
      }),
    );
  };
  const isOfField = ['label', 'expiresAtMs', 'limitPerMinute'].some((field) => faultOf(field) !== undefined);
  const zone = localZoneText(expiresAtMs ?? serverNowMs());
  return html`<${Dialog} title="Create key" onClose=${onClose}>
    <form onSubmit=${send}>
      <${Field} label="Label" value=${label} onInput=${setLabel} fault=${faultOf('label')} hint="What the key is for. Its holder reads it in notices." more=${{ maxlength: 100, autocomplete: 'off' }} />
      <${Field} label=${`Expires (your time, ${zone})`} type="datetime-local" value=${expires} onInput=${setExpires} fault=${faultOf('expiresAtMs')} hint=${expiresAtMs === undefined ? 'Empty: never.' : utcText(expiresAtMs)} />
      <${Field} label="Requests a minute" type="number" value=${limit} onInput=${setLimit} fault=${faultOf('limitPerMinute')} hint="Empty: the standard limit." more=${{ min: 1, step: 1, inputmode: 'numeric' }} />
      ${problem && !isOfField && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy}>Create key</button><button type="button" onClick=${onClose}>Go back</button></p>
    </form>
  <//>`;
}
