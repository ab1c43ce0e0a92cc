import Type from 'typebox';
import * as part from '../contract/schema-parts.ts';
import { line, named } from '../operator/fields.ts';
import { accountOperations } from './accounts.ts';
import { alertOperations } from './alerts.ts';
import { approvalOperations } from './approvals.ts';
import { auditOperations } from './audit.ts';
import { managementDocument, type Tag } from './document.ts';
import { feedOperations } from './feed.ts';
import { incidentOperations } from './incidents.ts';
import { keyOperations } from './keys.ts';
import { maintenanceOperations } from './maintenance.ts';
import { marketReviewOperations } from './market-review.ts';
import { marketOperations } from './markets.ts';
import { noticeOperations } from './notices.ts';
import { type ListedOperation, type Operation, operation } from './operation.ts';
import { overviewOperations } from './overview.ts';
import { priceOperations } from './prices.ts';
import { Problem, ProblemSchema, problemCodes, problemSlug, problemTable, problemType } from './problems.ts';
import { rateOperations } from './rates.ts';
import { recordOperations } from './record.ts';
import { sessionOperations } from './session.ts';
import { termOperations } from './terms.ts';
import { tokenOperations } from './tokens.ts';
import { usageOperations } from './usage.ts';

const { code, title, status } = ProblemSchema.properties;

const ProblemDescriptionSchema = named('ProblemDescription', 'What a problem is about.', {
  code,
  title,
  status,
  description: line('What causes it and what to do.', problemTable.NOT_FOUND.description, 1_000),
});

const readProblem = operation({
  path: '/api/problems/:slug',
  summary: 'What a problem is about',
  description: 'The page that the `type` of a problem links to.',
  access: 'anybody',
  params: Type.Object({
    slug: part.text('The name of the problem: its code in small letters, with dashes.', problemSlug('NOT_FOUND'), {
      maxLength: 64,
      pattern: '^[a-z-]+$',
    }),
  }),
  answer: ProblemDescriptionSchema,
  handle({ params }) {
    const found = problemCodes.find((known) => problemType(known).endsWith(`/${params.slug}`));
    if (found === undefined) throw new Problem('NOT_FOUND', 'There is no problem of this name.');
    const { title, status, description } = problemTable[found];
    return { code: found, title, status, description };
  },
});

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
  Markets: { ...marketOperations, ...marketReviewOperations },
  Prices: priceOperations,
  Terms: termOperations,
  Record: recordOperations,
  'Accounts and keys': { ...accountOperations, ...keyOperations, ...usageOperations },
  Maintenance: maintenanceOperations,
  Incidents: incidentOperations,
  Notices: noticeOperations,
  Alerts: alertOperations,
  Approvals: approvalOperations,
  Audit: { ...auditOperations, ...tokenOperations },
  Description: { readProblem, readDocument },
};

/** Every operation of the management API, in the order of the document. */
export const operations: readonly ListedOperation[] = Object.entries(byTag).flatMap(([tag, tagged]) =>
  Object.entries(tagged).map(([operationId, each]) => ({ ...each, operationId, tag })),
);
