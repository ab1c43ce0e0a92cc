import Type from 'typebox';
import { asEpochMs } from '../clock.ts';
import {
  id,
  instantFields,
  instantMs,
  instants,
  line,
  listOf,
  named,
  object,
  openEnum,
  text,
} from '../operator/fields.ts';
import { auditSubjectKinds } from '../store/schema.ts';
import { defaultLimit, nextSchema, operation, pageQuery, readPlace, writeCursor } from './operation.ts';

const AuditEntrySchema = named('AuditEntry', 'A change, or an attempt to sign in. Never holds a secret.', {
  id: id('aud', 'The entry’s id.'),
  ...instantFields('at', 'When it was done.'),
  actor: line(
    'Who did it: the name of a token, `configuration` for that of the configuration, `cli:` and the user of the system for the command line, `unknown` for whoever was refused.',
    'alice',
    300,
  ),
  action: Type.String({
    description: 'What was done. The set can grow.',
    maxLength: 64,
    pattern: '^[a-z]+\\.[a-z]+$',
    examples: ['key.create'],
  }),
  subject: object('What it was done to.', {
    kind: openEnum(auditSubjectKinds, 'What it was done to.'),
    id: line('Its id; the symbol of a market.', 'key_4fGh72Kq0ZsTn1Lw', 64),
  }),
  summary: line('One sentence for people.', 'Made a key for bot@example.com ("trading bot").', 2_000),
  details: Type.Unsafe<Readonly<Record<string, unknown>>>({
    description: 'What else there is to know, by action.',
    type: 'object',
    additionalProperties: true,
    examples: [{ accountId: 'acc_4fGh72Kq0ZsTn1Lw', lastFour: 'x7Qa' }],
  }),
});

const AuditPageSchema = named('AuditPage', 'A page of the audit log.', {
  entries: listOf(AuditEntrySchema, 'Latest first.', 200),
  next: nextSchema,
});

export const auditOperations = {
  listAudit: operation({
    query: Type.Object({
      subject: Type.Optional(
        text('Only what was done to this: an id, or the symbol of a market.', 'key_4fGh72Kq0ZsTn1Lw', 64),
      ),
      actor: Type.Optional(line('Only what this one did.', 'alice', 300)),
      action: Type.Optional(
        Type.String({
          description: 'Only actions that begin so.',
          maxLength: 64,
          pattern: '^[a-z_]+\\.?[a-z]*$',
          examples: ['key.'],
        }),
      ),
      fromMs: Type.Optional(instantMs('Only what was done then or later.')),
      toMs: Type.Optional(instantMs('Only what was done before.')),
      ...pageQuery,
    }),
    answer: AuditPageSchema,
    async handle({ query: { subject, after, limit = defaultLimit, actor, action, fromMs, toMs }, store }) {
      const page = await store.audit.page({
        limit,
        subjectId: subject,
        actor,
        action,
        from: fromMs === undefined ? undefined : asEpochMs(fromMs),
        to: toMs === undefined ? undefined : asEpochMs(toMs),
        after: readPlace(after),
      });
      return {
        entries: page.items.map(({ at, ...entry }) => ({ ...entry, ...instants('at', at) })),
        next: page.next === undefined ? null : writeCursor(page.next.atMs, page.next.id),
      };
    },
  }),
};
