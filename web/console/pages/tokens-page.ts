import { useState } from 'preact/hooks';
import type { NewToken, Token, TokenList } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { parseLocal } from '../clock.ts';
import { localZoneText, utcText } from '../format/time.ts';
import { html } from '../html.ts';
import { usePolled } from '../live/polled.ts';
import { Allowed, Badge, Empty, Loaded, Missing, Page, ProblemBlock, When } from '../parts/blocks.ts';
import { SecretDialog } from '../parts/copy.ts';
import { ConfirmButton, Dialog, DialogButton } from '../parts/dialog.ts';
import { Choice, Field, useSubmitted } from '../parts/form.ts';
import { TableFrame } from '../parts/table.ts';
import { toast } from '../parts/toasts.ts';
import { roles, serverNowMs } from '../state.ts';

const everyMs = 10_000;

/** Who may sign in, and as what. An admin makes and revokes tokens here; others see them. */
export function TokensPage() {
  const polled = usePolled<TokenList>('tokens', everyMs);
  const { refresh } = polled;
  const [made, setMade] = useState<NewToken | undefined>(undefined);
  const show = (token: NewToken) => {
    setMade(token);
    refresh();
  };
  const form = (close: () => void) => html`<${CreateToken} onMade=${show} onClose=${close} />`;
  const create = html`<${Allowed} role="admin"><${DialogButton} text="Create token" className="main">${form}<//><//>`;
  return html`<${Page} title="Operator tokens" actions=${create}>
    <div class="note"><p>An admin makes and revokes tokens here, and whoever has the machine of the service does it there. Revoking one ends its sessions at once.</p>
      <pre tabindex="0"><code>${'mdapi admin token --name NAME --role ROLE --expires +90d\nmdapi admin revoke ID'}</code></pre>
    </div>
    <${Loaded} polled=${polled}>${({ tokens }: TokenList) => html`<${Tokens} tokens=${tokens} onChanged=${refresh} />`}<//>
    ${made && html`<${SecretDialog} name=${`token “${made.token.name}”`} text=${made.text} onClose=${() => setMade(undefined)} />`}
  <//>`;
}

function Tokens({ tokens, onChanged }: { tokens: readonly Token[]; onChanged: () => void }) {
  if (tokens.length === 0)
    return html`<${Empty} title="No token was made.">You are signed in with the one of the configuration (admin.token), or through your organisation.<//>`;
  return html`<${TableFrame} label="Operator tokens"><table>
    <thead><tr><th scope="col">Name</th><th scope="col">Role</th><th scope="col">State</th><th scope="col">Last used</th><th scope="col">Created</th><th scope="col">Expires</th><th scope="col">Id</th><th scope="col"><span class="visually-hidden">Revoke</span></th></tr></thead>
    <tbody>${tokens.map((token) => html`<${TokenRow} key=${token.id} token=${token} onChanged=${onChanged} />`)}</tbody>
  </table><//>`;
}

function TokenRow({ token, onChanged }: { token: Token; onChanged: () => void }) {
  const { id, name, role, state, createdAtMs, expiresAtMs, lastUsedAtMs } = token;
  const done = () => {
    toast(`The token ${name} is revoked.`);
    onChanged();
  };
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${role}</td>
    <td><${Badge} state=${state} /></td>
    <td>${lastUsedAtMs === null ? html`<${Missing}>never<//>` : html`<${When} atMs=${lastUsedAtMs} as="full" />`}</td>
    <td><${When} atMs=${createdAtMs} as="day" /></td>
    <td>${expiresAtMs === null ? html`<${Missing}>never<//>` : html`<${When} atMs=${expiresAtMs} as="full" />`}</td>
    <td><code>${id}</code></td>
    <td>${
      state !== 'revoked' &&
      html`<${Allowed} role="admin">
        <${ConfirmButton}
          text="Revoke"
          label=${`Revoke ${name}`}
          className="dangerous-quiet"
          title=${`Revoke the token ${name}?`}
          action="Revoke token"
          isDangerous
          act=${() => post<Token>(`tokens/${encodeURIComponent(id)}/revoke`)}
          onDone=${done}
        ><p>This is final. Programs that send it are refused at once, and whoever is signed in with it is signed out.</p><//>
      <//>`
    }</td>
  </tr>`;
}

const roleTexts: Readonly<Record<Token['role'], string>> = {
  prices: 'reads prices, for an application',
  'read-only': 'sees everything, changes nothing',
  support: 'accounts and keys',
  operator: 'also markets, terms, maintenance and notices',
  admin: 'also operator tokens',
};
const roleOptions = (['prices', ...roles] as const).map((role) => [role, `${role}: ${roleTexts[role]}`] as const);

function CreateToken({ onMade, onClose }: { onMade: (made: NewToken) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<string>('operator');
  const [expires, setExpires] = useState('');
  const { isBusy, problem, faultOf, submit } = useSubmitted<NewToken>((made) => {
    onClose();
    onMade(made);
  });
  const expiresAtMs = parseLocal(expires);
  const send = (event: Event) => {
    event.preventDefault();
    const expiry = expiresAtMs === undefined ? {} : { expiresAtMs };
    void submit(() => post<NewToken>('tokens', { name: name.trim(), role, ...expiry }));
  };
  const isOfField = ['name', 'expiresAtMs'].some((field) => faultOf(field) !== undefined);
  return html`<${Dialog} title="Create token" onClose=${onClose}>
    <form onSubmit=${send}>
      <${Field} label="Name" value=${name} onInput=${setName} fault=${faultOf('name')} hint="Whom or what it is for. The audit log names its holder by it." more=${{ required: true, maxlength: 60, autocomplete: 'off' }} />
      <${Choice} label="Role" value=${role} options=${roleOptions} onChange=${setRole} />
      <${Field} label=${`Expires (your time, ${localZoneText(expiresAtMs ?? serverNowMs())})`} type="datetime-local" value=${expires} onInput=${setExpires} fault=${faultOf('expiresAtMs')} hint=${expiresAtMs === undefined ? 'Empty: never.' : utcText(expiresAtMs)} />
      ${problem && !isOfField && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy}>Create token</button><button type="button" onClick=${onClose}>Go back</button></p>
    </form>
  <//>`;
}
