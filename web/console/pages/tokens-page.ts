import { useState } from 'preact/hooks';
import type { NewToken, Token, TokenList } from '../../generated/management-v1.d.ts';
import { post } from '../api/client.ts';
import { parseLocal } from '../clock.ts';
import { localZoneText, utcText } from '../format/time.ts';
import { html } from '../html.ts';
import { say, word } from '../language.ts';
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
  const create = html`<${Allowed} role="admin"><${DialogButton} text=${say('Create token')} className="main">${form}<//><//>`;
  return html`<${Page} title=${say('Operator tokens')} actions=${create}>
    <div class="note"><p>${say('An admin makes and revokes tokens here, and whoever has the machine of the service does it there. Revoking one ends its sessions at once.')}</p>
      <pre tabindex="0"><code>${'mdapi admin token --name NAME --role ROLE --expires +90d\nmdapi admin revoke ID'}</code></pre>
    </div>
    <${Loaded} polled=${polled}>${({ tokens }: TokenList) => html`<${Tokens} tokens=${tokens} onChanged=${refresh} />`}<//>
    ${made && html`<${SecretDialog} title=${say('The token “{name}”', { name: made.token.name })} copyLabel=${say('Copy the token “{name}”', { name: made.token.name })} text=${made.text} onClose=${() => setMade(undefined)} />`}
  <//>`;
}

function Tokens({ tokens, onChanged }: { tokens: readonly Token[]; onChanged: () => void }) {
  if (tokens.length === 0)
    return html`<${Empty} title=${say('No token was made.')}>${say('You are signed in with the one of the configuration (admin.token), or through your organisation.')}<//>`;
  return html`<${TableFrame} label=${say('Operator tokens')}><table>
    <thead><tr><th scope="col">${say('Name')}</th><th scope="col">${say('Role')}</th><th scope="col">${say('State')}</th><th scope="col">${say('Last used')}</th><th scope="col">${say('Created')}</th><th scope="col">${say('Expires')}</th><th scope="col">${say('Id')}</th><th scope="col"><span class="visually-hidden">${say('Revoke')}</span></th></tr></thead>
    <tbody>${tokens.map((token) => html`<${TokenRow} key=${token.id} token=${token} onChanged=${onChanged} />`)}</tbody>
  </table><//>`;
}

function TokenRow({ token, onChanged }: { token: Token; onChanged: () => void }) {
  const { id, name, role, state, createdAtMs, expiresAtMs, lastUsedAtMs } = token;
  const done = () => {
    toast(say('The token {name} is revoked.', { name }));
    onChanged();
  };
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${word(role)}</td>
    <td><${Badge} state=${state} /></td>
    <td>${lastUsedAtMs === null ? html`<${Missing}>${say('never')}<//>` : html`<${When} atMs=${lastUsedAtMs} as="full" />`}</td>
    <td><${When} atMs=${createdAtMs} as="day" /></td>
    <td>${expiresAtMs === null ? html`<${Missing}>${say('never')}<//>` : html`<${When} atMs=${expiresAtMs} as="full" />`}</td>
    <td><code>${id}</code></td>
    <td>${
      state !== 'revoked' &&
      html`<${Allowed} role="admin">
        <${ConfirmButton}
          text=${say('Revoke')}
          label=${say('Revoke {name}', { name })}
          className="dangerous-quiet"
          title=${say('Revoke the token {name}?', { name })}
          action=${say('Revoke token')}
          isDangerous
          act=${() => post<Token>(`tokens/${encodeURIComponent(id)}/revoke`)}
          onDone=${done}
        ><p>${say('This is final. Programs that send it are refused at once, and whoever is signed in with it is signed out.')}</p><//>
      <//>`
    }</td>
  </tr>`;
}

const roleTexts: Readonly<Record<Token['role'], string>> = {
  prices: say('reads prices, for an application'),
  'read-only': say('sees everything, changes nothing'),
  support: say('accounts and keys'),
  operator: say('also markets, terms, maintenance and notices'),
  admin: say('also operator tokens'),
};
const roleOptions = (['prices', ...roles] as const).map((role) => [role, `${word(role)}: ${roleTexts[role]}`] as const);

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
  return html`<${Dialog} title=${say('Create token')} onClose=${onClose}>
    <form onSubmit=${send}>
      <${Field} label=${say('Name')} value=${name} onInput=${setName} fault=${faultOf('name')} hint=${say('Whom or what it is for. The audit log names its holder by it.')} more=${{ required: true, maxlength: 60, autocomplete: 'off' }} />
      <${Choice} label=${say('Role')} value=${role} options=${roleOptions} onChange=${setRole} />
      <${Field} label=${say('Expires (your time, {zone})', { zone: localZoneText(expiresAtMs ?? serverNowMs()) })} type="datetime-local" value=${expires} onInput=${setExpires} fault=${faultOf('expiresAtMs')} hint=${expiresAtMs === undefined ? say('Empty: never.') : utcText(expiresAtMs)} />
      ${problem && !isOfField && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy}>${say('Create token')}</button><button type="button" onClick=${onClose}>${say('Go back')}</button></p>
    </form>
  <//>`;
}
