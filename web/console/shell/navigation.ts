import { useEffect, useState } from 'preact/hooks';
import { problemText } from '../api/problem.ts';
import { signOut } from '../api/sign-in.ts';
import { html } from '../html.ts';
import { toast } from '../parts/toasts.ts';
import { hrefTo, route } from '../router.ts';
import { session } from '../session.ts';
import { useStore } from '../store.ts';

/** The pages in the menu, with the letter that leads there after `g`. */
export const places = [
  { path: '', text: 'Overview', letter: 'o' },
  { path: 'markets', text: 'Markets', letter: 'm' },
  { path: 'feed', text: 'Feed and rates', letter: 'f' },
  { path: 'accounts', text: 'Accounts and keys', letter: 'a' },
  { path: 'usage', text: 'Usage', letter: 'u' },
  { path: 'maintenance', text: 'Maintenance', letter: 'w' },
  { path: 'notices', text: 'Notices', letter: 'n' },
  { path: 'audit', text: 'Audit log', letter: 'l' },
  { path: 'tokens', text: 'Operator tokens', letter: 't' },
] as const;

/** The menu: a column beside the page, or behind a button on a narrow screen. */
export function Navigation({ current, onHelp }: { current: string; onHelp: () => void }) {
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
        <${Operator} onHelp=${onHelp} />
      </div>
    </div>`;
}

function Operator({ onHelp }: { onHelp: () => void }) {
  const current = useStore(session);
  const leave = async () => {
    const outcome = await signOut();
    if (!outcome.ok) toast(problemText(outcome.problem), 'bad');
  };
  return html`<div class="operator">
    <p class="small">Signed in as<br /><strong>${current.state === 'in' ? current.operator : ''}</strong></p>
    <p class="buttons"><button type="button" onClick=${leave}>Sign out</button><button type="button" onClick=${onHelp}>Keyboard</button></p>
  </div>`;
}
