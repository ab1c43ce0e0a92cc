import { useState } from 'preact/hooks';
import type { AccountDetail, NewKey } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { html } from '../html.ts';
import { usePolled } from '../live/polled.ts';
import { Allowed, Badge, Empty, Facts, Loaded, Page, ProblemBlock, Section, When } from '../parts/blocks.ts';
import { Confirm, Dialog } from '../parts/dialog.ts';
import { Field, useSubmitted } from '../parts/form.ts';
import { toast } from '../parts/toasts.ts';
import { hrefTo, hrefWith } from '../router.ts';
import { type KeyFields, KeyForm } from './key-form.ts';
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

function Actions({ account, onCreate, onChanged }: ActionsProps) {
  const { id, email, active } = account;
  const [isAsking, setAsking] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const [isErasing, setErasing] = useState(false);
  const erased = () => {
    toast('The account is erased.');
    onChanged();
  };
  const action = active ? 'deactivate' : 'activate';
  const done = () => {
    toast(`The account of ${email} is ${active ? 'inactive' : 'active again'}.`);
    onChanged();
  };
  return html`<${Allowed} role="support">
    <button type="button" class="main" onClick=${onCreate}>Create key</button>
    <button type="button" onClick=${() => setAsking(true)}>${active ? 'Deactivate' : 'Activate'}</button>
    <button type="button" onClick=${() => setEditing(true)}>Change e-mail</button>
    <${Allowed} role="operator"><button type="button" class="dangerous-quiet" onClick=${() => setErasing(true)}>Erase</button><//>
    ${isEditing && html`<${ChangeEmail} account=${account} onChanged=${onChanged} onClose=${() => setEditing(false)} />`}
    ${
      isErasing &&
      html`<${Confirm}
        title=${`Erase ${email}?`}
        action="Erase account"
        isDangerous
        act=${() => post(`accounts/${encodeURIComponent(id)}/erase`, { confirm: id })}
        onDone=${erased}
        onClose=${() => setErasing(false)}
      >
        <p>This is final. All its keys are revoked and lose their labels, its address becomes a pseudonym, also in the audit log, and notices that wait are not sent.</p>
      <//>`
    }
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

interface ChangeEmailProps {
  readonly account: AccountDetail;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

function ChangeEmail({ account, onChanged, onClose }: ChangeEmailProps) {
  const [email, setEmail] = useState(account.email);
  const { isBusy, problem, faultOf, submit } = useSubmitted(() => {
    toast('The e-mail address is changed.');
    onChanged();
    onClose();
  });
  const send = (event: Event) => {
    event.preventDefault();
    void submit(() => post(`accounts/${encodeURIComponent(account.id)}/update`, { email: email.trim() }));
  };
  return html`<${Dialog} title="Change e-mail" onClose=${onClose}>
    <form onSubmit=${send}>
      <${Field} label="E-mail" type="email" value=${email} onInput=${setEmail} fault=${faultOf('email')} hint="Notices about its keys go there from now on." more=${{ required: true, autocomplete: 'off' }} />
      ${problem && faultOf('email') === undefined && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy}>Change e-mail</button><button type="button" onClick=${onClose}>Go back</button></p>
    </form>
  <//>`;
}

interface CreateKeyProps {
  readonly accountId: string;
  readonly onMade: (made: NewKey) => void;
  readonly onClose: () => void;
}

function CreateKey({ accountId, onMade, onClose }: CreateKeyProps) {
  const create = ({ label, expiresAtMs, limitPerMinute }: KeyFields) =>
    post<NewKey>('keys', {
      accountId,
      ...(label === '' ? {} : { label }),
      ...(expiresAtMs === null ? {} : { expiresAtMs }),
      ...(limitPerMinute === null ? {} : { limitPerMinute }),
    });
  return html`<${KeyForm} title="Create key" send=${create} onDone=${onMade} onClose=${onClose} />`;
}
