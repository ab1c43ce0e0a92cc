import Type from 'typebox';
import { asEpochMs } from '../ground/clock.ts';
import * as fields from '../operator/fields.ts';
import { auditActions, auditSubjectKinds } from '../store/schema.ts';
import { defaultLimit, nextSchema, operation, pageQuery, readPlace, writeCursor } from './operation.ts';

const AuditEntrySchema = fields.named('AuditEntry', 'A change, or an attempt to sign in. Never holds a secret.', {
  id: fields.id('aud', 'The entry’s id.'),
  ...fields.instantFields('at', 'When it was done.'),
  actor: fields.line(
    'Who did it: the name of a token, `configuration` for that of the configuration, `cli:` and the user of the system for the command line, `cli:alice (said by root)` where that names a person, whom nothing proves; `unknown` for whoever was refused.',
    'alice',
    300,
  ),
  action: fields.openEnum(auditActions, 'What was done. The set can grow.'),
  subject: fields.object('What it was done to.', {
    kind: fields.openEnum(auditSubjectKinds, 'What it was done to.'),
    id: fields.line('Its id; the symbol of a market.', 'key_4fGh72Kq0ZsTn1Lw', 64),
  }),
  summary: fields.line('One sentence for people.', 'Made a key for bot@example.com ("trading bot").', 2_000),
  details: Type.Unsafe<Readonly<Record<string, unknown>>>({
    description: 'What else there is to know, by action.',
    type: 'object',
    additionalProperties: true,
    examples: [{ accountId: 'acc_4fGh72Kq0ZsTn1Lw', lastFour: 'x7Qa' }],
  }),
});

const AuditPageSchema = fields.named('AuditPage', 'A page of the audit log.', {
  entries: fields.listOf(AuditEntrySchema, 'Latest first.', 200),
  next: nextSchema,
});

export const auditOperations = {
  listAudit: operation({
    path: '/api/audit',
    summary: 'Who changed what, latest first',
    description:
      'Written together with each change, by this API and by the command line. Entries are kept as long as `admin.auditFor` says.',
    query: Type.Object({
      subject: Type.Optional(
        fields.text('Only what was done to this: an id, or the symbol of a market.', 'key_4fGh72Kq0ZsTn1Lw', 64),
      ),
      actor: Type.Optional(fields.line('Only what this one did.', 'alice', 300)),
      action: Type.Optional(fields.form('Only actions that begin so.', '^[a-z_]+\\.?[a-z]*$', 'key.', 64)),
      fromMs: Type.Optional(fields.instantMs('Only what was done then or later.')),
      toMs: Type.Optional(fields.instantMs('Only what was done before.')),
      ...pageQuery,
    }),
    answer: AuditPageSchema,
    async handle({ query: { subject, after, limit = defaultLimit, actor, action, fromMs, toMs }, store }) {
      const [from, to] = [fromMs, toMs].map((atMs) => (atMs === undefined ? undefined : asEpochMs(atMs)));
      const asked = { limit, subjectId: subject, actor, action, from, to, after: readPlace(after) };
      const page = await store.audit.page(asked);
      return {
        entries: page.items.map(({ at, ...entry }) => ({ ...entry, ...fields.instants('at', at) })),
        next: page.next === undefined ? null : writeCursor(page.next.atMs, page.next.id),
      };
    },
  }),
};
