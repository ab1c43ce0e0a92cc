import Type from 'typebox';
import { AlertSchema, alertView, DeliverySchema, deliveryView } from '../conditions/alert.ts';
import { testDeliveries } from '../notices/alerting.ts';
import { alertEvents, destinationKinds } from '../operator/alert-event.ts';
import { count, id, line, listOf, named, object, openEnum, whole } from '../operator/fields.ts';
import { operation, strictObject } from './operation.ts';
import { Problem } from './problems.ts';

const destinationName = line('Its name in the configuration.', 'ops', 32);

const DestinationSchema = object('Where alerts go. URLs and secrets are not shown.', {
  name: line('Its name.', 'ops', 32),
  kind: openEnum(destinationKinds, 'What it understands.'),
  events: listOf(openEnum(alertEvents, 'A kind of thing.'), 'What it is told of.'),
});

const AlertListSchema = named('AlertList', 'Alerts and where they go.', {
  alerts: listOf(AlertSchema, 'Those that are on, the latest first.'),
  destinations: listOf(DestinationSchema, 'As configured in `alerts.destinations`.'),
  raiseAfterMs: count('How long a condition must hold before its alert is sent.', 15_000),
  endAfterMs: count('How long it must be over before the end of its alert is sent.', 120_000),
});

export const alertOperations = {
  listAlerts: operation({
    path: '/api/alerts',
    summary: 'Alerts that are on, and where alerts go',
    description: 'What operators were told of and is not over, in all processes on the database.',
    answer: AlertListSchema,
    async handle({ store }, { configuration: { alerts } }) {
      const { raiseAfterMs, endAfterMs } = alerts;
      const destinations = alerts.destinations.map(({ name, kind, events }) => ({ name, kind, events: [...events] }));
      return { alerts: (await store.alerts.list()).map(alertView), destinations, raiseAfterMs, endAfterMs };
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
