import { activateAccount, createAccount, deactivateAccount, listAccounts, readAccount } from './accounts.ts';
import { listAudit } from './audit.ts';
import { describing } from './description.ts';
import { readFeed } from './feed.ts';
import { createKey, disableKey, enableKey, listKeys, revokeKey, rotateKey } from './keys.ts';
import {
  announceMaintenance,
  cancelMaintenance,
  endMaintenance,
  extendMaintenance,
  listMaintenance,
} from './maintenance.ts';
import { previewMaintenance } from './maintenance-preview.ts';
import { delistMarket, pauseMarket, resumeMarket } from './market-changes.ts';
import { readMarketHistory } from './market-history.ts';
import { readMarket, readMarkets } from './markets.ts';
import { listNotices, previewNotice } from './notices.ts';
import type { Operation } from './operation.ts';
import { readOverview } from './overview.ts';
import { readProblem } from './problem-body.ts';
import { readRates } from './rates.ts';
import { readSession, signIn, signOut } from './session.ts';
import { listTokens } from './tokens.ts';
import { readKeyUsage, readUsage } from './usage.ts';

/** Every operation of the management API, in the order of the document. */
export const operations: readonly Operation[] = describing([
  signIn,
  readSession,
  signOut,
  readOverview,
  readFeed,
  readRates,
  readMarkets,
  readMarket,
  readMarketHistory,
  pauseMarket,
  resumeMarket,
  delistMarket,
  listAccounts,
  createAccount,
  readAccount,
  activateAccount,
  deactivateAccount,
  listKeys,
  createKey,
  enableKey,
  disableKey,
  revokeKey,
  rotateKey,
  readKeyUsage,
  readUsage,
  listMaintenance,
  announceMaintenance,
  previewMaintenance,
  extendMaintenance,
  endMaintenance,
  cancelMaintenance,
  listNotices,
  previewNotice,
  listAudit,
  listTokens,
  readProblem,
]);
