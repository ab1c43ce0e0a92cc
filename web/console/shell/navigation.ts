import { useEffect, useState } from 'preact/hooks';
import type { ApprovalList } from '../../generated/management-v1.d.ts';
import { signOut } from '../api/client.ts';
import { html } from '../html.ts';
import { say, word } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Badge } from '../parts/blocks.ts';
import { toast } from '../parts/toasts.ts';
import { hrefTo, route } from '../router.ts';
import { session } from '../state.ts';
import { useStore } from '../store.ts';
import { LanguageSwitch } from './language-switch.ts';
import { SearchEverywhere } from './search.ts';

/** How often it is asked what waits for a second person. */
const approvalsEveryMs = 15_000;

/** The pages in the menu. */
const places = [
  { path: '', text: say('Overview') },
  { path: 'markets', text: say('Markets') },
  { path: 'terms', text: say('Terms') },
  { path: 'feed', text: say('Feed and rates') },
  { path: 'record', text: say('Record') },
  { path: 'accounts', text: say('Accounts and keys') },
  { path: 'usage', text: say('Usage') },
  { path: 'maintenance', text: say('Maintenance') },
  { path: 'incidents', text: say('Incidents') },
  { path: 'notices', text: say('Notices') },
  { path: 'alerts', text: say('Alerts') },
  { path: 'approvals', text: say('Approvals') },
  { path: 'audit', text: say('Audit log') },
  { path: 'tokens', text: say('Operator tokens') },
];

/** The menu: a column beside the page, or behind a button on a narrow screen. */
export function Navigation({ current }: { current: string }) {
  const [isOpen, setOpen] = useState(false);
  const where = useStore(route);
  useEffect(() => setOpen(false), [where]);
  const here = current === 'keys' ? 'accounts' : current;
  const waiting = usePolled<ApprovalList>('approvals', approvalsEveryMs).value?.approvals.length ?? 0;
  return html`<div class="top-row">
      <a class="brand" href=${hrefTo()}><img src="icon.svg" alt="" width="24" height="24" /> <span>Market Data API</span></a>
      <button type="button" class="menu-button" aria-expanded=${isOpen} aria-controls="menu" onClick=${() => setOpen(!isOpen)}>${say('Menu')}</button>
      <${SearchEverywhere} />
      <div id="menu" class=${isOpen ? 'menu open' : 'menu'}>
        <nav aria-label=${say('Pages')}><ul>
          ${places.map(
            ({ path, text }) =>
              html`<li key=${path}><a href=${path === '' ? hrefTo() : hrefTo(path)} aria-current=${path === here ? 'page' : undefined}>${text}${path === 'approvals' && waiting > 0 && html` <${Badge} state="waiting" tone="warn">${waiting}<//>`}</a></li>`,
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
    <p class="small">${say('Signed in as')}<br /><strong>${current.state === 'in' && current.operator}</strong><br />${current.state === 'in' && say('role: {role}', { role: word(current.role) })}</p>
    <p class="buttons"><button type="button" onClick=${leave}>${say('Sign out')}</button><${LanguageSwitch} /></p>
  </div>`;
}
