import Type from 'typebox';
import * as accounts from './accounts.ts';
import * as audit from './audit.ts';
import { managementDocument, type Tag, type TaggedOperation } from './document.ts';
import * as feed from './feed.ts';
import * as keys from './keys.ts';
import * as maintenance from './maintenance.ts';
import * as markets from './markets.ts';
import * as notices from './notices.ts';
import { type Operation, operation } from './operation.ts';
import * as overview from './overview.ts';
import * as prices from './prices.ts';
import * as problems from './problems.ts';
import * as rates from './rates.ts';
import * as record from './record.ts';
import * as session from './session.ts';
import * as terms from './terms.ts';
import * as tokens from './tokens.ts';
import * as usage from './usage.ts';

const readDocument = operation({
  method: 'GET',
  path: '/api/openapi.json',
  operationId: 'readDocument',
  summary: 'This document',
  description: 'The description of the management API, as OpenAPI 3.1.',
  access: 'anybody',
  answer: Type.Unsafe<object>({
    description: 'An OpenAPI document.',
    type: 'object',
    additionalProperties: true,
    examples: [{ openapi: '3.1.0', info: {}, paths: {} }],
  }),
  handle: () => managementDocument(operations),
});

const byTag = {
  Session: [session.signIn, session.readSession, session.signOut, session.readSignInMethods],
  Service: [overview.readOverview, overview.readMinutes, feed.readFeed, rates.readRates],
  Markets: [
    markets.readMarkets,
    markets.readMarket,
    markets.pauseMarket,
    markets.resumeMarket,
    markets.holdMarket,
    markets.releaseMarket,
    markets.acceptMarket,
    markets.pauseAllMarkets,
    markets.resumeAllMarkets,
    markets.holdAllMarkets,
    markets.releaseAllMarkets,
    markets.delistMarket,
  ],
  Prices: [prices.readPrices, prices.streamPrices],
  Terms: [terms.listTerms, terms.setTerm, terms.previewTerm, terms.cancelTerm],
  Record: [
    record.readRecord,
    record.readRecordedPrice,
    record.listRecordedQuotes,
    record.listCandles,
    record.listServed,
    record.readServed,
    record.verifyHistory,
    record.holdRecord,
    record.releaseRecord,
  ],
  'Accounts and keys': [
    accounts.listAccounts,
    accounts.createAccount,
    accounts.readAccount,
    accounts.activateAccount,
    accounts.deactivateAccount,
    accounts.updateAccount,
    accounts.eraseAccount,
    keys.listKeys,
    keys.createKey,
    keys.updateKey,
    keys.enableKey,
    keys.disableKey,
    keys.revokeKey,
    keys.rotateKey,
    usage.readKeyUsage,
    usage.readUsage,
    usage.readRequest,
  ],
  Maintenance: [
    maintenance.listMaintenance,
    maintenance.announceMaintenance,
    maintenance.previewMaintenance,
    maintenance.extendMaintenance,
    maintenance.endMaintenance,
    maintenance.cancelMaintenance,
  ],
  Notices: [notices.listNotices, notices.previewNotice],
  Audit: [audit.listAudit, tokens.listTokens, tokens.createToken, tokens.revokeToken],
  Description: [problems.readProblem, readDocument],
} satisfies Readonly<Record<Tag, readonly Operation[]>>;

/** Every operation of the management API, in the order of the document. */
export const operations: readonly TaggedOperation[] = Object.entries(byTag).flatMap(([tag, tagged]) =>
  tagged.map((each) => ({ ...each, tag: tag as Tag })),
);
