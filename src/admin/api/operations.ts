import Type from 'typebox';
import { accountOperations } from './accounts.ts';
import { auditOperations } from './audit.ts';
import { managementDocument, type Tag } from './document.ts';
import { feedOperations } from './feed.ts';
import { keyOperations } from './keys.ts';
import { maintenanceOperations } from './maintenance.ts';
import { marketOperations } from './markets.ts';
import { noticeOperations } from './notices.ts';
import { type ListedOperation, type Operation, operation } from './operation.ts';
import { overviewOperations } from './overview.ts';
import { priceOperations } from './prices.ts';
import { problemOperations } from './problems.ts';
import { rateOperations } from './rates.ts';
import * as record from './record.ts';
import { sessionOperations } from './session.ts';
import { termOperations } from './terms.ts';
import { tokenOperations } from './tokens.ts';
import { usageOperations } from './usage.ts';

const readDocument = operation({
  path: '/api/openapi.json',
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

const byTag: Readonly<Record<Tag, Readonly<Record<string, Operation>>>> = {
  Session: sessionOperations,
  Service: { ...overviewOperations, ...feedOperations, ...rateOperations },
  Markets: marketOperations,
  Prices: priceOperations,
  Terms: termOperations,
  Record: {
    readRecord: record.readRecord,
    readRecordedPrice: record.readRecordedPrice,
    listRecordedQuotes: record.listRecordedQuotes,
    listCandles: record.listCandles,
    listServed: record.listServed,
    readServed: record.readServed,
    verifyRecord: record.verifyHistory,
    holdRecord: record.holdRecord,
    releaseRecord: record.releaseRecord,
  },
  'Accounts and keys': { ...accountOperations, ...keyOperations, ...usageOperations },
  Maintenance: maintenanceOperations,
  Notices: noticeOperations,
  Audit: { ...auditOperations, ...tokenOperations },
  Description: { ...problemOperations, readDocument },
};

/** Every operation of the management API, in the order of the document. */
export const operations: readonly ListedOperation[] = Object.entries(byTag).flatMap(([tag, tagged]) =>
  Object.entries(tagged).map(([operationId, each]) => ({ ...each, operationId, tag })),
);
