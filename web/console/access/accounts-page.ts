import { useState } from 'preact/hooks';
import type { Account, AccountList, KeyList } from '../../generated/management-v1.d.ts';
import { counted } from '../format/decimal.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { type Polled, usePolled } from '../live/polled.ts';
import { Allowed, Badge, Empty, Loaded, Page, When } from '../parts/blocks.ts';
import { DialogButton } from '../parts/dialog.ts';
import { Search } from '../parts/form.ts';
import { type Paging, PagingButtons, TableFrame, usePaging } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { keyTextOf } from '../record/questions.ts';
import { goTo, hrefTo, withQuery } from '../router.ts';
import { EmailForm } from './email-form.ts';
import { KeyTable } from './keys.ts';

const everyMs = 10_000;

/** All accounts, found by a part of their e-mail address or by their id, and with them the keys that match. */
export function AccountsPage() {
  const [query, setQuery] = useState('');
  const paging = usePaging(query);
  const polled = usePolled<AccountList>(withQuery('accounts', { query, after: paging.after }), everyMs);
  const keyPaging = usePaging(query);
  const keysPath = withQuery('keys', { query, after: keyPaging.after });
  const keys = usePolled<KeyList>(query === '' ? undefined : keysPath, everyMs);
  const isFoundNowhere = query === '' || (keys.value?.keys.length === 0 && keys.value.next === null);
  const form = (close: () => void) =>
    html`<${EmailForm} title=${say('Create account')} hint=${say('Of the key holder: notices on repeated breaches of the limit go there.')} path="accounts" onDone=${created} onClose=${close} />`;
  const create = html`<${Allowed} role="support"><${DialogButton} text=${say('Create account')} className="main">${form}<//><//>`;
  return html`<${Page} title=${say('Accounts and keys')} actions=${create}>
    <${Search} label=${say('Find an account or a key')} placeholder=${say('e-mail address, id, or a key’s last four characters')} initial=${query} onSearch=${(text: string) => setQuery(keyTextOf(text))} />
    <${Loaded} polled=${polled}>
      ${(body: AccountList) => html`<div>
        ${(body.accounts.length > 0 || isFoundNowhere) && html`<${Accounts} accounts=${body.accounts} query=${query} />`}
        <${PagingButtons} paging=${paging} next=${body.next} />
      </div>`}
    <//>
    ${query !== '' && html`<${FoundKeys} polled=${keys} paging=${keyPaging} />`}
  <//>`;
}

function Accounts({ accounts, query }: { accounts: readonly Account[]; query: string }) {
  if (accounts.length === 0) {
    return query === ''
      ? html`<${Empty} title=${say('There are no accounts yet.')}>${say('An account holds the keys of one client. Create one, then a key for it.')}<//>`
      : html`<${Empty} title=${say('No account matches.')}>${say('Search for a part of the e-mail address, or the whole id.')}<//>`;
  }
  return html`<${TableFrame} label=${say('Accounts')}><table>
    <thead><tr><th scope="col">${say('E-mail')}</th><th scope="col">${say('State')}</th><th scope="col">${say('Keys')}</th><th scope="col">${say('Created')}</th><th scope="col">${say('Id')}</th></tr></thead>
    <tbody>${accounts.map(
      ({ id, email, state, keys, createdAtMs }) => html`<tr key=${id}>
        <th scope="row"><a href=${hrefTo('accounts', id)}>${email}</a></th>
        <td><${Badge} state=${state} /></td>
        <td>${keysText(keys)}</td>
        <td><${When} atMs=${createdAtMs} as="day" /></td>
        <td><code>${id}</code></td>
      </tr>`,
    )}</tbody>
  </table><//>`;
}

/** Keys whose last four characters, label, id or holder it is, each with its account. */
function FoundKeys({ polled, paging }: { polled: Polled<KeyList>; paging: Paging }) {
  return html`<${Loaded} polled=${polled}>
    ${({ keys, next }: KeyList) => html`<section>
      ${keys.length > 0 && html`<h2>${say('Keys')}</h2><${KeyTable} keys=${keys} hasAccounts />`}
      <${PagingButtons} paging=${paging} next=${next} />
    </section>`}
  <//>`;
}

function keysText({ active, disabled, revoked }: Account['keys']): string {
  const parts = [
    counted(active, 'active'),
    disabled > 0 && counted(disabled, 'disabled'),
    revoked > 0 && counted(revoked, 'revoked'),
  ].filter(Boolean);
  return active + disabled + revoked === 0 ? counted(0, 'key') : parts.join(', ');
}

function created({ id, email }: Account): void {
  toast(say('The account of {email} is created. Create a key for it.', { email }));
  goTo(hrefTo('accounts', id));
}
