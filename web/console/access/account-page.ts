import { useState } from 'preact/hooks';
import type { Account, AccountDetail, NewKey } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
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
  return html`<${Page} title=${value?.email ?? say('Account')} actions=${actions} up=${{ href: hrefTo('accounts'), text: say('All accounts') }}>
    <${Loaded} polled=${polled}>${(account: AccountDetail) => html`<${Body} account=${account} />`}<//>
    ${made && html`<${KeyText} made=${made} onClose=${() => setMade(undefined)} />`}
  <//>`;
}

function Body({ account }: { account: AccountDetail }) {
  const { id, state, active, createdAtMs, keysList } = account;
  return html`<div>
    <${Facts}
      rows=${[
        [say('State'), html`<${Badge} state=${state} />`],
        [say('Created'), html`<${When} atMs=${createdAtMs} as="full" />`],
        [say('Id'), html`<code>${id}</code>`],
        [say('History'), html`<a href=${hrefWith(['audit'], { subject: id })}>${say('in the audit log')}</a>`],
      ]}
    />
    ${!active && html`<p class="note warn">${say('The account is inactive: all its keys are refused with 401 INVALID_API_KEY.')}</p>`}
    <${Section} title=${say('Keys')}>
      ${keysList.length === 0 ? html`<${Empty} title=${say('This account has no keys yet.')}>${say('Create one and give it to the holder over a channel you trust.')}<//>` : html`<${KeyTable} keys=${keysList} />`}
    <//>
  </div>`;
}

interface ActionsProps {
  readonly account: AccountDetail;
  readonly onMade: (key: NewKey) => void;
  readonly onChanged: () => void;
}

function Actions({ account, onMade, onChanged }: ActionsProps) {
  const { id, email, language, active } = account;
  const path = `accounts/${encodeURIComponent(id)}`;
  const done = (text: string) => () => {
    toast(text);
    onChanged();
  };
  return html`<${Allowed} role="support">
    <${DialogButton} text=${say('Create key')} className="main">${(close: () => void) => html`<${CreateKey} accountId=${id} onMade=${onMade} onClose=${close} />`}<//>
    <${ConfirmButton}
      key=${active}
      text=${say(active ? 'Deactivate' : 'Activate')}
      title=${say(active ? 'Deactivate {email}?' : 'Activate {email}?', { email })}
      action=${say(active ? 'Deactivate account' : 'Activate account')}
      isDangerous=${active}
      act=${() => post<Account>(`${path}/${active ? 'deactivate' : 'activate'}`)}
      onDone=${done(say(active ? 'The account of {email} is inactive.' : 'The account of {email} is active again.', { email }))}
    >
      <p>${say(active ? 'All keys of the account are refused with 401 INVALID_API_KEY within a second. Activating it brings them back.' : 'Its active keys work again within a second.')}</p>
    <//>
    <${DialogButton} text=${say('Change e-mail or language')}>${(close: () => void) => html`<${EmailForm} title=${say('Change e-mail or language')} initial=${email} language=${language} hint=${say('Notices about its keys go there from now on.')} path=${`${path}/update`} onDone=${() => changed(close)} onClose=${close} />`}<//>
    <${Allowed} role="operator">
      <${ConfirmButton}
        text=${say('Erase')}
        className="dangerous-quiet"
        title=${say('Erase {email}?', { email })}
        action=${say('Erase account')}
        isDangerous
        act=${() => post<Account>(`${path}/erase`, { confirm: id })}
        onDone=${done(say('The account is erased.'))}
      >
        <p>${say('This is final. All its keys are revoked and lose their labels, its address becomes a pseudonym, also in the audit log, and notices that wait are not sent.')}</p>
      <//>
    <//>
  <//>`;

  function changed(close: () => void): void {
    close();
    done(say('The account is changed.'))();
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
  return html`<${KeyForm} title=${say('Create key')} send=${create} onDone=${done} onClose=${onClose} />`;
}
