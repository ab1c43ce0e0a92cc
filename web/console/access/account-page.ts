import { useState } from 'preact/hooks';
import type { Account, AccountDetail, NewKey } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { html } from '../html.ts';
import { usePolled } from '../live/polled.ts';
import { Allowed, Badge, Empty, Facts, Loaded, Page, Section, When } from '../parts/blocks.ts';
import { ConfirmButton, DialogButton } from '../parts/dialog.ts';
import { toast } from '../parts/toasts.ts';
import { hrefTo, hrefWith } from '../router.ts';
import { EmailForm } from './email-form.ts';
import { type KeyFields, KeyForm } from './key-form.ts';
import { KeyTable, KeyText } from './keys.ts';

const everyMs = 5_000;

/** One account with its keys. */
export function AccountPage({ id }: { id: string }) {
  const polled = usePolled<AccountDetail>(`accounts/${encodeURIComponent(id)}`, everyMs);
  const { value, refresh } = polled;
  const [made, setMade] = useState<NewKey | undefined>(undefined);
  const show = (key: NewKey) => {
    setMade(key);
    refresh();
  };
  const actions = value && html`<${Actions} account=${value} onMade=${show} onChanged=${refresh} />`;
  return html`<${Page} title=${value?.email ?? 'Account'} actions=${actions} up=${{ href: hrefTo('accounts'), text: 'All accounts' }}>
    <${Loaded} polled=${polled}>${(account: AccountDetail) => html`<${Body} account=${account} />`}<//>
    ${made && html`<${KeyText} made=${made} onClose=${() => setMade(undefined)} />`}
  <//>`;
}

function Body({ account }: { account: AccountDetail }) {
  const { id, state, active, createdAtMs, keysList } = account;
  return html`<div>
    <${Facts}
      rows=${[
        ['State', html`<${Badge} state=${state} />`],
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
  readonly onMade: (key: NewKey) => void;
  readonly onChanged: () => void;
}

function Actions({ account, onMade, onChanged }: ActionsProps) {
  const { id, email, active } = account;
  const path = `accounts/${encodeURIComponent(id)}`;
  const done = (text: string) => () => {
    toast(text);
    onChanged();
  };
  return html`<${Allowed} role="support">
    <${DialogButton} text="Create key" className="main">${(close: () => void) => html`<${CreateKey} accountId=${id} onMade=${onMade} onClose=${close} />`}<//>
    <${ConfirmButton}
      key=${active}
      text=${active ? 'Deactivate' : 'Activate'}
      title=${active ? `Deactivate ${email}?` : `Activate ${email}?`}
      action=${active ? 'Deactivate account' : 'Activate account'}
      isDangerous=${active}
      act=${() => post<Account>(`${path}/${active ? 'deactivate' : 'activate'}`)}
      onDone=${done(`The account of ${email} is ${active ? 'inactive' : 'active again'}.`)}
    >
      <p>${active ? 'All keys of the account are refused with 401 INVALID_API_KEY within a second. Activating it brings them back.' : 'Its active keys work again within a second.'}</p>
    <//>
    <${DialogButton} text="Change e-mail">${(close: () => void) => html`<${EmailForm} title="Change e-mail" initial=${email} hint="Notices about its keys go there from now on." path=${`${path}/update`} onDone=${() => changed(close)} onClose=${close} />`}<//>
    <${Allowed} role="operator">
      <${ConfirmButton}
        text="Erase"
        className="dangerous-quiet"
        title=${`Erase ${email}?`}
        action="Erase account"
        isDangerous
        act=${() => post<Account>(`${path}/erase`, { confirm: id })}
        onDone=${done('The account is erased.')}
      >
        <p>This is final. All its keys are revoked and lose their labels, its address becomes a pseudonym, also in the audit log, and notices that wait are not sent.</p>
      <//>
    <//>
  <//>`;

  function changed(close: () => void): void {
    close();
    done('The e-mail address is changed.')();
  }
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
  const done = (key: NewKey) => {
    onClose();
    onMade(key);
  };
  return html`<${KeyForm} title="Create key" send=${create} onDone=${done} onClose=${onClose} />`;
}
