import { useState } from 'preact/hooks';
import type { AccountDetail, NewKey } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { html } from '../html.ts';
import { usePolled } from '../live/polled.ts';
import { Empty, Loaded, Section } from '../parts/blocks.ts';
import { Confirm } from '../parts/dialog.ts';
import { Page } from '../parts/page.ts';
import { toast } from '../parts/toasts.ts';
import { Badge, Facts, When } from '../parts/words.ts';
import { hrefTo, hrefWith } from '../router.ts';
import { CreateKey } from './create-key.ts';
import { KeyTable } from './key-table.ts';
import { KeyText } from './key-text.ts';

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
  const deed = active ? 'deactivate' : 'activate';
  const done = () => {
    toast(`The account of ${email} is ${active ? 'inactive' : 'active again'}.`);
    onChanged();
  };
  return html`<span class="buttons">
    <button type="button" class="main" onClick=${onCreate}>Create key</button>
    <button type="button" onClick=${() => setAsking(true)}>${active ? 'Deactivate' : 'Activate'}</button>
    ${
      isAsking &&
      html`<${Confirm}
        title=${active ? `Deactivate ${email}?` : `Activate ${email}?`}
        action=${active ? 'Deactivate account' : 'Activate account'}
        isDangerous=${active}
        act=${() => post(`accounts/${encodeURIComponent(id)}/${deed}`)}
        onDone=${done}
        onClose=${() => setAsking(false)}
      >
        <p>${active ? 'All keys of the account are refused with 401 INVALID_API_KEY within a second. Activating it brings them back.' : 'Its active keys work again within a second.'}</p>
      <//>`
    }
  </span>`;
}
