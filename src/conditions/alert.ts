import type { Static } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import { alertEvents } from '../operator/alert-event.ts';
import * as field from '../operator/fields.ts';
import type { AlertChange, AlertRecord } from '../store/alerts.ts';
import type { DeliveryRecord } from '../store/deliveries.ts';
import { FoundConditionSchema, storedCondition } from './schema.ts';

const alertFields = {
  name: field.line('Which alert it is, as the rules for Prometheus call it.', 'SourceLost', 64),
  subject: field.line('Whom or what it concerns.', 'kraken', 200),
  severity: field.openEnum(
    ['critical', 'warning', 'info'],
    '`critical` wakes somebody up, `warning` waits for working hours.',
  ),
  summary: field.line('What is the matter.', 'kraken: no connection for 40 s'),
};

export const ConditionSchema = field.named('Condition', 'What an alert tells, as it holds in this process.', {
  ...alertFields,
  condition: field.referenceTo(FoundConditionSchema, 'The same by its code.'),
  sinceMs: field.instantMs('Since when.'),
});

export type ConditionView = Static<typeof ConditionSchema>;

export const AlertSchema = field.named('Alert', 'An alert that is on.', {
  id: field.id('alr', 'The alert’s id, the same when it begins and when it ends.'),
  event: field.openEnum([...alertEvents, 'test'], 'The kind of thing.'),
  ...alertFields,
  condition: field.nullable(FoundConditionSchema, 'The same by its code; null where an older version told it.'),
  ...field.instantFields('raisedAt', 'When it was told.'),
  isStill: Type.Boolean({
    description:
      'It was so already when the process that told it began to look; whether it was told before is not known.',
  }),
  ...field.instantFields('toldAt', 'When it was told for the last time.'),
  repeats: field.count('How often it was told again, for nobody had acknowledged it.', 0),
  ...field.nullableInstantFields('escalatedAt', 'When those of `alerts.escalate` were told.'),
  ...field.nullableInstantFields('acknowledgedAt', 'When somebody said that they know of it.'),
  acknowledgedBy: field.nullableLine('Who that is, as the audit log names them.', 'alice', 200),
});

export const DeliverySchema = field.named('AlertDelivery', 'A message to a destination.', {
  id: field.id('dlv', 'The delivery’s id: `Webhook-Id`, the same in every attempt.'),
  destination: field.line('The name of the destination.', 'ops', 32),
  alert: field.id('alr', 'The alert that it tells.'),
  step: field.openEnum(['raised', 'repeated', 'escalated', 'ended'], 'What it tells of the alert.'),
  isEnd: Type.Boolean({ description: 'Whether it tells the end.' }),
  ...alertFields,
  status: field.openEnum(
    ['pending', 'sent', 'failed'],
    '`pending`: tried until it is accepted. `sent`: accepted. `failed`: refused for good, or given up after three days.',
  ),
  attempts: field.count('Attempts so far.', 1),
  lastError: field.nullableLine('Why the latest attempt failed; null when none did, and once it is sent.', 'HTTP 503'),
  ...field.instantFields('createdAt', 'When it was made.'),
  ...field.nullableInstantFields('sentAt', 'When it was accepted.'),
  ...field.nullableInstantFields('nextAttemptAt', 'When it is tried next; null unless it is pending.'),
});

export type DeliveryView = Static<typeof DeliverySchema>;

export function alertView(alert: AlertRecord): Static<typeof AlertSchema> {
  const event = alert.event as (typeof alertEvents)[number];
  const condition = storedCondition(alert.name, alert.values);
  const { isStill = false, escalatedAt, acknowledgedAt, acknowledgedBy } = alert;
  const known = { isStill, escalatedAt, acknowledgedAt, acknowledgedBy };
  return field.viewOf(AlertSchema.properties, { ...alert, ...known, event, condition });
}

/** Nothing of it is secret: a destination is shown by its name alone. */
export function deliveryView({ content, ...delivery }: DeliveryRecord): DeliveryView {
  const { id: alert, name, subject, severity, summary, endedAt, step }: AlertChange = JSON.parse(content);
  const status = delivery.status as DeliveryView['status'];
  return field.viewOf(DeliverySchema.properties, {
    ...delivery,
    status,
    alert,
    step: step ?? (endedAt === undefined ? 'raised' : 'ended'),
    isEnd: endedAt !== undefined,
    name,
    subject,
    severity,
    summary,
    nextAttemptAt: status === 'pending' ? delivery.nextAttemptAt : undefined,
  });
}
