import { alertView, type DeliveryView, deliveryView } from '../conditions/alert.ts';
import { sleep } from '../ground/clock.ts';
import type { Command } from './command.ts';
import { exitCodes, failure } from './failure.ts';
import { type Job, storeCommand } from './store-command.ts';
import { listing, type Shown } from './style.ts';
import { parseCount } from './values.ts';

const shownAlerts = {
  SINCE: 'raisedAt',
  ALERT: 'name',
  SUBJECT: 'subject',
  SEVERITY: 'severity',
  SUMMARY: 'summary',
} as const;

const list = storeCommand('alerts list', async ({ store, configuration, paint }) => {
  const alerts = (await store.alerts.list()).map(alertView);
  const destinations = configuration.alerts.destinations.map(({ name, kind, events }) => ({ name, kind, events }));
  const none = 'No destination is configured (alerts.destinations): no alert is sent.';
  const where = destinations.map(({ name, kind }) => `${name} (${kind})`).join(', ');
  const text = listing(alerts, shownAlerts, paint, 'No alert is on.');
  return { json: { alerts, destinations }, text, notes: [where === '' ? none : `Told to: ${where}.`] };
});

const shownDeliveries: Shown<DeliveryView> = {
  CREATED: 'createdAt',
  DESTINATION: 'destination',
  STATE: 'status',
  ATTEMPTS: ({ attempts }) => `${attempts}`,
  ALERT: ({ name, subject, isEnd }) => `${name} ${subject}${isEnd ? ', ended' : ''}`,
  NOTE: ({ lastError }) => lastError ?? '',
};

const deliveries = storeCommand('alerts deliveries', {
  read: (input) => ({
    destination: input.option('destination'),
    limit: parseCount(input.option('limit') ?? '100', 10_000, '--limit'),
  }),
  async work({ values, store, paint }) {
    const found = (await store.deliveries.list(values)).map(deliveryView);
    return { json: { deliveries: found }, text: listing(found, shownDeliveries, paint, 'No deliveries.') };
  },
});

/** Longer than an attempt takes. */
const waitMs = 15_000;
const lookEveryMs = 250;

const test = storeCommand('alerts test', async ({ input, context, store, configuration, paint }) => {
  const { testDeliveries } = await import('../notices/alerting.ts');
  const wanted = input.everyArgument('NAME');
  const all = configuration.alerts.destinations;
  const chosen = wanted.length === 0 ? all : all.filter(({ name }) => wanted.includes(name));
  if (chosen.length < Math.max(1, new Set(wanted).size)) {
    const names = all.map(({ name }) => name).join(', ') || 'none is configured (alerts.destinations)';
    throw failure('destination_unknown', { names });
  }
  const now = context.clock.now();
  const ids = await store.deliveries.add(chosen.flatMap((each) => testDeliveries(each, now)));
  const sent = await settled(ids, { context, store });
  const isUntried = sent.some(({ attempts }) => attempts === 0);
  const note = 'Not tried yet: the service has to run, with this database and these destinations.';
  return {
    json: { deliveries: sent },
    text: listing(sent, shownDeliveries, paint, ''),
    notes: isUntried ? [note] : [],
    exitCode: sent.every(({ status }) => status === 'sent') ? exitCodes.ok : exitCodes.failure,
  };
});

/** Waits until each was sent or has failed once, or until it is too late. */
async function settled(ids: readonly string[], { context, store }: Pick<Job, 'context' | 'store'>) {
  const { clock, signal } = context;
  for (const until = clock.monotonicMs() + waitMs; ; await sleep(clock, lookEveryMs, signal)) {
    const own = (await store.deliveries.list({ limit: 200 })).filter(({ id }) => ids.includes(id));
    const isTried = own.every(({ status, lastError }) => status !== 'pending' || lastError !== undefined);
    if (isTried || clock.monotonicMs() >= until || signal.aborted) return own.map(deliveryView);
  }
}

export const alertCommands: readonly Command[] = [list, deliveries, test];
