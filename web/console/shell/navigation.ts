import { useEffect, useState } from 'preact/hooks';
import { signOut } from '../api/client.ts';
import { html } from '../html.ts';
import { toast } from '../parts/toasts.ts';
import { hrefTo, route } from '../router.ts';
import { session } from '../state.ts';
import { useStore } from '../store.ts';

/** The pages in the menu. */
const places = [
  { path: '', text: 'Overview' },
  { path: 'markets', text: 'Markets' },
  { path: 'terms', text: 'Terms' },
  { path: 'feed', text: 'Feed and rates' },
  { path: 'record', text: 'Record' },
  { path: 'accounts', text: 'Accounts and keys' },
  { path: 'usage', text: 'Usage' },
  { path: 'maintenance', text: 'Maintenance' },
  { path: 'notices', text: 'Notices' },
  { path: 'audit', text: 'Audit log' },
  { path: 'tokens', text: 'Operator tokens' },
] as const;

/** The menu: a column beside the page, or behind a button on a narrow screen. */
export function Navigation({ current }: { current: string }) {
  const [isOpen, setOpen] = useState(false);
  const where = useStore(route);
  useEffect(() => setOpen(false), [where]);
  const here = current === 'keys' ? 'accounts' : current;
  return html`<div class="top-row">
      <a class="brand" href=${hrefTo()}><img src="icon.svg" alt="" width="24" height="24" /> <span>Market Data API</span></a>
      <button type="button" class="menu-button" aria-expanded=${isOpen} aria-controls="menu" onClick=${() => setOpen(!isOpen)}>Menu</button>
      <div id="menu" class=${isOpen ? 'menu open' : 'menu'}>
        <nav aria-label="Pages"><ul>
          ${places.map(
            ({ path, text }) =>
              html`<li key=${path}><a href=${path === '' ? hrefTo() : hrefTo(path)} aria-current=${path === here ? 'page' : undefined}>${text}</a></li>`,
          )}
        </ul></nav>
        <${Operator} />
      </div>
    </div>`;
}

function Operator() {
  const current = useStore(session);
  const leave = async () => {
    const outcome = await signOut();
    if (!outcome.ok) toast(outcome.problem.detail, 'bad');
  };
  return html`<div class="operator">
    <p class="small">Signed in as<br /><strong>${current.state === 'in' && current.operator}</strong><br />${current.state === 'in' && `role: ${current.role}`}</p>
    <p><button type="button" onClick=${leave}>Sign out</button></p>
  </div>`;
}
