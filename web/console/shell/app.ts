import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { AccountPage } from '../access/account-page.ts';
import { AccountsPage } from '../access/accounts-page.ts';
import { KeyPage } from '../access/key-page.ts';
import { UsagePage } from '../access/usage-page.ts';
import { resumeSession } from '../api/client.ts';
import { BoardPage } from '../board/board-page.ts';
import { every } from '../clock.ts';
import { FeedPage } from '../feed/feed-page.ts';
import { type Content, classes, html } from '../html.ts';
import { IncidentsPage } from '../incidents/incidents-page.ts';
import { say, tell } from '../language.ts';
import { MaintenancePage } from '../maintenance/maintenance-page.ts';
import { MarketPage } from '../market/market-page.ts';
import { AlertsPage } from '../pages/alerts-page.ts';
import { ApprovalsPage } from '../pages/approvals-page.ts';
import { AuditLogPage } from '../pages/audit-page.ts';
import { NoticesPage } from '../pages/notices-page.ts';
import { OverviewPage } from '../pages/overview-page.ts';
import { TokensPage } from '../pages/tokens-page.ts';
import { Empty, Page } from '../parts/blocks.ts';
import { Toasts } from '../parts/toasts.ts';
import { RecordPage } from '../record/record-page.ts';
import { hrefTo, route } from '../router.ts';
import { lostSince, session } from '../state.ts';
import { useStore } from '../store.ts';
import { TermsPage } from '../terms/terms-page.ts';
import { Navigation } from './navigation.ts';
import { SignIn } from './sign-in.ts';
import { LostBanner, OverviewProvider, StatusStrip } from './status.ts';

const resumeEveryMs = 3_000;

/** The console: the sign-in page, or the frame with the page the address names. */
export function App() {
  const { state } = useStore(session);
  if (state === 'asking') return html`<${Asking} />`;
  return html`<div class="app">
    ${state === 'in' ? html`<${Frame} />` : html`<${SignIn} />`}
    <${Toasts} />
  </div>`;
}

/** Shown until it is known whether there is a session. Asks again until the service answers. */
function Asking() {
  const lostSinceMs = useStore(lostSince);
  useEffect(() => every(resumeEveryMs, () => void resumeSession()), []);
  const text = say(lostSinceMs === undefined ? 'Connecting …' : 'The service does not answer. Trying again …');
  return html`<main class="asking"><p role="status">${text}</p></main>`;
}

function Frame() {
  const { segments, query } = useStore(route);
  const isLost = useStore(lostSince) !== undefined;
  const skip = (event: Event) => {
    event.preventDefault();
    document.querySelector<HTMLElement>('main')?.focus();
  };
  return html`<${OverviewProvider}>
    <div class=${classes('frame', isLost && 'lost')}>
      <a class="skip" href="#main" onClick=${skip}>${say('Skip to the content')}</a>
      <header class="top"><${Navigation} current=${segments[0] ?? ''} /></header>
      <div class="body">
        <${LostBanner} />
        <${StatusStrip} />
        <main id="main" tabindex="-1" key=${segments.join('/')}>${pageFor(segments, query)}</main>
      </div>
    </div>
  <//>`;
}

const pages: Readonly<Record<string, (query: URLSearchParams) => VNode>> = {
  '': () => html`<${OverviewPage} />`,
  markets: (query) => html`<${BoardPage} query=${query} />`,
  terms: () => html`<${TermsPage} />`,
  feed: () => html`<${FeedPage} />`,
  accounts: () => html`<${AccountsPage} />`,
  record: (query) => html`<${RecordPage} query=${query} />`,
  usage: () => html`<${UsagePage} />`,
  maintenance: () => html`<${MaintenancePage} />`,
  incidents: () => html`<${IncidentsPage} />`,
  notices: () => html`<${NoticesPage} />`,
  alerts: () => html`<${AlertsPage} />`,
  approvals: () => html`<${ApprovalsPage} />`,
  audit: (query) => html`<${AuditLogPage} query=${query} />`,
  tokens: () => html`<${TokensPage} />`,
};

const detailPages: Readonly<Record<string, (id: string) => VNode>> = {
  markets: (id) => html`<${MarketPage} symbol=${id.toUpperCase()} />`,
  accounts: (id) => html`<${AccountPage} id=${id} />`,
  keys: (id) => html`<${KeyPage} id=${id} />`,
};

/** The page an address names. */
function pageFor([first = '', second]: readonly string[], query: URLSearchParams): VNode {
  const page = second === undefined ? own(pages, first)?.(query) : own(detailPages, first)?.(second);
  return page ?? html`<${UnknownPage} />`;
}

/** An address can name what every object has, such as `constructor`. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function UnknownPage() {
  return html`<${Page} title=${say('No such page')}>
    <${Empty} title=${say('The address leads nowhere.')}>${tell('Go to the <a>overview</a> or choose from the menu.', { a: (text: Content) => html`<a href=${hrefTo()}>${text}</a>` })}<//>
  <//>`;
}
