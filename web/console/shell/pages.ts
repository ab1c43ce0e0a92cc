import type { VNode } from 'preact';
import { AccountPage } from '../access/account-page.ts';
import { AccountsPage } from '../access/accounts-page.ts';
import { KeyPage } from '../access/key-page.ts';
import { UsagePage } from '../access/usage-page.ts';
import { BoardPage } from '../board/board-page.ts';
import { FeedPage } from '../feed/feed-page.ts';
import { html } from '../html.ts';
import { MaintenancePage } from '../maintenance/maintenance-page.ts';
import { MarketPage } from '../market/market-page.ts';
import { AuditLogPage } from '../pages/audit-page.ts';
import { NoticesPage } from '../pages/notices-page.ts';
import { OverviewPage } from '../pages/overview-page.ts';
import { TokensPage } from '../pages/tokens-page.ts';
import { Empty } from '../parts/blocks.ts';
import { Page } from '../parts/page.ts';
import { hrefTo } from '../router.ts';

/** The page an address names. */
export function pageFor(segments: readonly string[], query: URLSearchParams): VNode {
  const [first = '', second] = segments;
  if (second !== undefined) return detailPageFor(first, second) ?? html`<${UnknownPage} />`;
  switch (first) {
    case '':
      return html`<${OverviewPage} />`;
    case 'markets':
      return html`<${BoardPage} query=${query} />`;
    case 'feed':
      return html`<${FeedPage} />`;
    case 'accounts':
      return html`<${AccountsPage} />`;
    case 'usage':
      return html`<${UsagePage} />`;
    case 'maintenance':
      return html`<${MaintenancePage} />`;
    case 'notices':
      return html`<${NoticesPage} />`;
    case 'audit':
      return html`<${AuditLogPage} query=${query} />`;
    case 'tokens':
      return html`<${TokensPage} />`;
    default:
      return html`<${UnknownPage} />`;
  }
}

function detailPageFor(kind: string, id: string): VNode | undefined {
  if (kind === 'markets') return html`<${MarketPage} symbol=${id.toUpperCase()} />`;
  if (kind === 'accounts') return html`<${AccountPage} id=${id} />`;
  if (kind === 'keys') return html`<${KeyPage} id=${id} />`;
  return undefined;
}

function UnknownPage() {
  return html`<${Page} title="No such page">
    <${Empty} title="The address leads nowhere.">Go to the <a href=${hrefTo()}>overview</a> or choose from the menu.<//>
  <//>`;
}
