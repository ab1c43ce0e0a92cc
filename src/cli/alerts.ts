import { alertView, type DeliveryView, deliveryView } from '../conditions/alert.ts';
import { sleep } from '../ground/clock.ts';
import { CommandError, exitCodes } from './failure.ts';
import { type Job, storeCommand } from './store-command.ts';
import { harmless, listing, type Shown } from './style.ts';
import { parseCount } from './values.ts';

const list = storeCommand({
  name: 'alerts list',
  summary: 'list the alerts that are on, and where alerts go',
  examples: {
    'mdapi alerts list': 'what is not over',
  },
  async work({ store, configuration, paint }) {
    const alerts = (await store.alerts.list()).map(alertView);
    const { escalateTo } = configuration.alerts;
    const destinations = configuration.alerts.destinations.map(({ name, kind, events }) => {
      return { name, kind, events, isSecond: escalateTo.includes(name) };
    });
    const none = 'No destination is configured (alerts.destinations): no alert is sent.';
    const where = destinations
      .map(({ name, kind, isSecond }) => `${name} (${kind}${isSecond ? ', what nobody acknowledges' : ''})`)
      .join(', ');
    const columns = {
      SINCE: 'raisedAt',
      ALERT: 'name',
      SUBJECT: 'subject',
      SEVERITY: 'severity',
      ACKNOWLEDGED: 'acknowledgedBy',
      SUMMARY: 'summary',
    } as const;
    return {
      json: { alerts, destinations },
      text: listing(alerts, columns, paint, 'No alert is on.'),
      notes: [where === '' ? none : `Told to: ${where}.`],
    };
  },
});

const acknowledge = storeCommand({
  name: 'alerts acknowledge',
  summary: 'say that you know of an alert: it is not sent again until it is over',
  details: ['A name acknowledges the alert for all of its subjects. The audit log records who did.'],
  positionals: { ALERT: { summary: 'its id or its name, as `alerts list` shows them' } },
  examples: {
    'mdapi alerts acknowledge SourceLost': 'whoever is told next knows that you look at it',
  },
  async work({ positionals: { ALERT: idOrName }, store }) {
    const alerts = (await store.alerts.acknowledge(idOrName)).map(alertView);
    const lines = alerts.map(({ name, subject }) => `Acknowledged ${name}: ${harmless(subject)}.`);
    return { json: { alerts }, text: lines.join('\n') || 'Somebody had acknowledged it already.' };
  },
});

const deliveryColumns: Shown<DeliveryView> = {
  CREATED: 'createdAt',
  DESTINATION: 'destination',
  STATE: 'status',
  ATTEMPTS: ({ attempts }) => `${attempts}`,
  ALERT: ({ name, subject, step }) => `${name} ${subject}${step === 'raised' ? '' : `, ${step}`}`,
  NOTE: ({ lastError }) => lastError ?? '',
};

const deliveries = storeCommand({
  name: 'alerts deliveries',
  summary: 'show each message to a destination, and what became of it',
  options: {
    destination: { value: 'NAME', summary: 'only those to this destination' },
    limit: { value: 'COUNT', summary: 'at most this many, 1 to 10000 (default: 100)' },
  },
  examples: {
    'mdapi alerts deliveries --destination ops': 'what became of those to ops',
  },
  read: ({ options }) => parseCount(options.limit ?? '100', 10_000, '--limit'),
  async work({ options: { destination }, values: limit, store, paint }) {
    const found = (await store.deliveries.list({ destination, limit })).map(deliveryView);
    return { json: { deliveries: found }, text: listing(found, deliveryColumns, paint, 'No deliveries.') };
  },
});

/** Longer than an attempt takes. */
const waitMs = 15_000;
const lookEveryMs = 250;

const test = storeCommand({
  name: 'alerts test',
  summary: 'send a test to destinations, through the running service',
  details: ['Exits with 1 unless all were accepted in 15 seconds.'],
  positionals: { NAME: { many: true, summary: 'a destination’s name; all of them when left out' } },
  examples: {
    'mdapi alerts test ops': 'after a change of alerts.destinations',
  },
  async work({ positionals: { NAME: wanted }, context, store, configuration, paint }) {
    const { testDeliveries } = await import('../notices/alerting.ts');
    const all = configuration.alerts.destinations;
    const chosen = wanted.length === 0 ? all : all.filter(({ name }) => wanted.includes(name));
    const known = all.map(({ name }) => name);
    const unknown = wanted.filter((name) => !known.includes(name));
    if (known.length === 0 || unknown.length > 0) throw destinationUnknown(unknown, known);
    const now = context.clock.now();
    const ids = await store.deliveries.add(chosen.flatMap((each) => testDeliveries(each, now)));
    const sent = await settled(ids, { context, store });
    const isUntried = sent.some(({ attempts }) => attempts === 0);
    const note = 'Not tried yet: the service has to run, with this database and these destinations.';
    return {
      json: { deliveries: sent },
      text: listing(sent, deliveryColumns, paint, ''),
      notes: isUntried ? [note] : [],
      exitCode: sent.every(({ status }) => status === 'sent') ? exitCodes.ok : exitCodes.failure,
    };
  },
});

export const commands = [list, acknowledge, deliveries, test];

function destinationUnknown(unknown: readonly string[], known: readonly string[]): CommandError {
  const asked = unknown.map((name) => harmless(name)).join(' or ');
  const what = asked === '' ? 'There is no destination' : `There is no destination ${asked}`;
  const there = known.length === 0 ? 'none is configured (alerts.destinations)' : `there are ${known.join(', ')}`;
  return new CommandError(exitCodes.notFound, 'destination_unknown', `${what}: ${there}.`);
}

/** Waits until each was sent or has failed once, or until it is too late. */
async function settled(ids: readonly string[], { context, store }: Pick<Job, 'context' | 'store'>) {
  const { clock, signal } = context;
  for (const until = clock.monotonicMs() + waitMs; ; await sleep(clock, lookEveryMs, signal)) {
    const own = (await store.deliveries.list({ limit: 200 })).filter(({ id }) => ids.includes(id));
    const isTried = own.every(({ status, lastError }) => status !== 'pending' || lastError !== undefined);
    if (isTried || clock.monotonicMs() >= until || signal.aborted) return own.map(deliveryView);
  }
}
