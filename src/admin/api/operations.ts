import Type from 'typebox';
import {
  activateAccount,
  createAccount,
  deactivateAccount,
  eraseAccount,
  listAccounts,
  readAccount,
  updateAccount,
} from './accounts.ts';
import { listAudit } from './audit.ts';
import { managementDocument, type Tag, type TaggedOperation } from './document.ts';
import { readFeed } from './feed.ts';
import { createKey, disableKey, enableKey, listKeys, revokeKey, rotateKey, updateKey } from './keys.ts';
import {
  announceMaintenance,
  cancelMaintenance,
  endMaintenance,
  extendMaintenance,
  listMaintenance,
  previewMaintenance,
} from './maintenance.ts';
import {
  acceptMarket,
  delistMarket,
  holdAllMarkets,
  holdMarket,
  pauseAllMarkets,
  pauseMarket,
  readMarket,
  readMarkets,
  releaseAllMarkets,
  releaseMarket,
  resumeAllMarkets,
  resumeMarket,
} from './markets.ts';
import { listNotices, previewNotice } from './notices.ts';
import { type Operation, operation } from './operation.ts';
import { readMinutes, readOverview } from './overview.ts';
import { readPrices, streamPrices } from './prices.ts';
import { readProblem } from './problems.ts';
import { readRates } from './rates.ts';
import {
  holdRecord,
  listCandles,
  listRecordedQuotes,
  listServed,
  readRecord,
  readRecordedPrice,
  readServed,
  releaseRecord,
  verifyHistory,
} from './record.ts';
import { readRequest } from './requests.ts';
import { readSession, readSignInMethods, signIn, signOut } from './session.ts';
import { cancelTerm, listTerms, previewTerm, setTerm } from './terms.ts';
import { createToken, listTokens, revokeToken } from './tokens.ts';
import { readKeyUsage, readUsage } from './usage.ts';

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
  Session: [signIn, readSession, signOut, readSignInMethods],
  Service: [readOverview, readMinutes, readFeed, readRates],
  Markets: [
    readMarkets,
    readMarket,
    pauseMarket,
    resumeMarket,
    holdMarket,
    releaseMarket,
    acceptMarket,
    pauseAllMarkets,
    resumeAllMarkets,
    holdAllMarkets,
    releaseAllMarkets,
    delistMarket,
  ],
  Prices: [readPrices, streamPrices],
  Terms: [listTerms, setTerm, previewTerm, cancelTerm],
  Record: [
    readRecord,
    readRecordedPrice,
    listRecordedQuotes,
    listCandles,
    listServed,
    readServed,
    verifyHistory,
    holdRecord,
    releaseRecord,
  ],
  'Accounts and keys': [
    listAccounts,
    createAccount,
    readAccount,
    activateAccount,
    deactivateAccount,
    updateAccount,
    eraseAccount,
    listKeys,
    createKey,
    updateKey,
    enableKey,
    disableKey,
    revokeKey,
    rotateKey,
    readKeyUsage,
    readUsage,
    readRequest,
  ],
  Maintenance: [
    listMaintenance,
    announceMaintenance,
    previewMaintenance,
    extendMaintenance,
    endMaintenance,
    cancelMaintenance,
  ],
  Notices: [listNotices, previewNotice],
  Audit: [listAudit, listTokens, createToken, revokeToken],
  Description: [readProblem, readDocument],
} satisfies Readonly<Record<Tag, readonly Operation[]>>;

/** Every operation of the management API, in the order of the document. */
export const operations: readonly TaggedOperation[] = Object.entries(byTag).flatMap(([tag, tagged]) =>
  tagged.map((each) => ({ ...each, tag: tag as Tag })),
);
