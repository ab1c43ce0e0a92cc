import type { Token, TokenList } from '../../generated/management-v1.d.ts';
import { html } from '../html.ts';
import { usePolled } from '../live/polled.ts';
import { Badge, Empty, Loaded, Missing, Page, When } from '../parts/blocks.ts';
import { TableFrame } from '../parts/table.ts';

const everyMs = 10_000;

/** Who may sign in. Tokens are made and revoked on the machine alone, so that a stolen session cannot make more. */
export function TokensPage() {
  const polled = usePolled<TokenList>('tokens', everyMs);
  return html`<${Page} title="Operator tokens">
    <div class="note"><p>Tokens are made and revoked on the machine of the service. Revoking one ends its sessions at once.</p>
      <pre tabindex="0"><code>${'mdapi admin token --name NAME --expires +90d\nmdapi admin revoke ID'}</code></pre>
    </div>
    <${Loaded} polled=${polled}>${({ tokens }: TokenList) => html`<${Tokens} tokens=${tokens} />`}<//>
  <//>`;
}

function Tokens({ tokens }: { tokens: readonly Token[] }) {
  if (tokens.length === 0)
    return html`<${Empty} title="No token was made.">You are signed in with the one of the configuration (admin.token).<//>`;
  return html`<${TableFrame} label="Operator tokens"><table>
    <thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col">Created</th><th scope="col">Expires</th><th scope="col">Last used</th><th scope="col">Id</th></tr></thead>
    <tbody>${tokens.map((token) => html`<${TokenRow} key=${token.id} token=${token} />`)}</tbody>
  </table><//>`;
}

function TokenRow({ token }: { token: Token }) {
  const { id, name, state, createdAtMs, expiresAtMs, lastUsedAtMs } = token;
  return html`<tr>
    <th scope="row">${name}</th>
    <td><${Badge} state=${state} /></td>
    <td><${When} atMs=${createdAtMs} as="full" /></td>
    <td>${expiresAtMs === null ? html`<${Missing}>never<//>` : html`<${When} atMs=${expiresAtMs} as="full" />`}</td>
    <td>${lastUsedAtMs === null ? html`<${Missing}>never<//>` : html`<${When} atMs=${lastUsedAtMs} as="full" />`}</td>
    <td><code>${id}</code></td>
  </tr>`;
}
