import Type from 'typebox';
import { AlertSchema, alertView, DeliverySchema, deliveryView } from '../conditions/alert.ts';
import { testDeliveries } from '../notices/alerting.ts';
import { alertEvents, destinationKinds } from '../operator/alert-event.ts';
import { count, id, line, listOf, named, nullableCount, object, openEnum, whole } from '../operator/fields.ts';
import { noBody, operation, pathId, strictObject } from './operation.ts';
import { Problem } from './problems.ts';

const destinationName = line('Its name in the configuration.', 'ops', 32);

const DestinationSchema = object('Where alerts go. URLs and secrets are not shown.', {
  name: line('Its name.', 'ops', 32),
  kind: openEnum(destinationKinds, 'What it understands.'),
  events: listOf(openEnum(alertEvents, 'A kind of thing.'), 'What it is told of.'),
  isSecond: Type.Boolean({ description: 'It is told of nothing but what nobody has acknowledged in time.' }),
});

const AlertListSchema = named('AlertList', 'Alerts and where they go.', {
  alerts: listOf(AlertSchema, 'Those that are on, the latest first.'),
  destinations: listOf(DestinationSchema, 'As configured in `alerts.destinations`.'),
  raiseAfterMs: count('How long a condition must hold before its alert is sent.', 15_000),
  endAfterMs: count('How long it must be over before the end of its alert is sent.', 120_000),
  repeatAfterMs: count('After how long an alert that nobody acknowledged is sent again; 0: never.', 14_400_000),
  escalateAfterMs: nullableCount('After how long those are told who are second; null where there are none.', 1_800_000),
});

const AcknowledgedSchema = named('AcknowledgedAlerts', 'Alerts that were acknowledged just now.', {
  alerts: listOf(AlertSchema, 'None where somebody had acknowledged it already.'),
});

export const alertOperations = {
  listAlerts: operation({
    path: '/api/alerts',
    summary: 'Alerts that are on, and where alerts go',
    description: 'What operators were told of and is not over, in all processes on the database.',
    answer: AlertListSchema,
    async handle({ store }, { configuration: { alerts } }) {
      const { raiseAfterMs, endAfterMs, repeatAfterMs, escalateAfterMs = null, escalateTo } = alerts;
      const destinations = alerts.destinations.map(({ name, kind, events }) => {
        return { name, kind, events: [...events], isSecond: escalateTo.includes(name) };
      });
      const times = { raiseAfterMs, endAfterMs, repeatAfterMs, escalateAfterMs };
      return { alerts: (await store.alerts.list()).map(alertView), destinations, ...times };
    },
  }),

  acknowledgeAlert: operation({
    path: '/api/alerts/:id/acknowledge',
    summary: 'Acknowledge an alert',
    description: 'It is not sent again until it is over. The audit log records who did it.',
    access: 'operator',
    params: pathId('alr'),
    body: noBody,
    answer: AcknowledgedSchema,
    async handle({ params, store }) {
      return { alerts: (await store.alerts.acknowledge(params.id)).map(alertView) };
    },
  }),

  listAlertDeliveries: operation({
    path: '/api/alerts/deliveries',
    summary: 'The delivery log of alerts, latest first',
    description: 'Each message of the last 30 days and what became of it.',
    query: Type.Object({
      destination: Type.Optional(destinationName),
      limit: Type.Optional(whole('Messages wanted, 50 when left out.', [1, 200])),
    }),
    answer: named('AlertDeliveryList', 'Messages to destinations.', {
      deliveries: listOf(DeliverySchema, 'Latest first.', 200),
    }),
    async handle({ query: { destination, limit = 50 }, store }) {
      return { deliveries: (await store.deliveries.list({ destination, limit })).map(deliveryView) };
    },
  }),

  testAlerts: operation({
    path: '/api/alerts/test',
    summary: 'Send a test to a destination',
    description: 'Puts a test into the outbox; the delivery log shows what becomes of it.',
    access: 'operator',
    body: strictObject('The destination.', { destination: destinationName }),
    answer: named('AlertTest', 'What was put into the outbox.', {
      deliveries: listOf(id('dlv', 'A delivery’s id.'), 'With PagerDuty two: an incident and its end.'),
    }),
    problems: ['NOT_FOUND'],
    async handle({ body, now, store }, { configuration: { alerts } }) {
      const found = alerts.destinations.find(({ name }) => name === body.destination);
      if (found === undefined) {
        const said = { code: 'destination_unknown', values: {} } as const;
        throw new Problem('NOT_FOUND', 'There is no destination of this name.', { said });
      }
      return { deliveries: await store.deliveries.add(testDeliveries(found, now)) };
    },
  }),
};
