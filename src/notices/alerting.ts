import type { EpochMs } from '../ground/clock.ts';
import { tellingOnce } from '../ground/log.ts';
import type { MetricGroup } from '../ground/metric.ts';
import type { AlertChange } from '../store/alerts.ts';
import type { ClaimedDelivery, NewDelivery } from '../store/deliveries.ts';
import type { Store } from '../store/store.ts';
import { newId } from '../store/store-context.ts';
import { AlertBook, type AlertRules, alertKey, type DueChange, type FoundFact } from './alert-book.ts';
import type { AlertClaims } from './alert-claims.ts';
import { type AlertDestination, type AlertPlaces, alertBody, alertMail } from './alert-message.ts';
import { AlertOutbox, type NamedDelivery } from './alert-outbox.ts';
import { type RetryingSender, sendMail } from './send-mail.ts';
import { StoreReach } from './store-reach.ts';
import { Teller } from './teller.ts';
import { type SendOutcome, sendWebhook } from './webhook.ts';

interface AlertSettings extends AlertRules {
  readonly destinations: readonly AlertDestination[];
  /** The names of those that are told once nobody has acknowledged an alert, and of nothing else. */
  readonly escalateTo: readonly string[];
}

interface AlertingOptions extends RetryingSender {
  readonly store: Pick<Store, 'alerts' | 'deliveries'>;
  readonly alerts: AlertSettings;
  /** Gives what is so now; `undefined` while the process does not know yet, or not any more. */
  readonly facts: () => readonly FoundFact[] | undefined;
  /** Where clients, and where operators, reach the service. */
  readonly places: () => AlertPlaces;
  /** Asked who tells a change while the store does not answer; `undefined` where this process serves alone. */
  readonly claims?: AlertClaims | undefined;
}

const retry = { minMs: 5_000, maxMs: 600_000, jitter: 'equal' } as const;
const giveUpAfterMs = 3 * 86_400_000;
/** More than months without a store can bring. */
const unwrittenMax = 10_000;

/**
 * Tells operators what is so and what is over: found, judged and sent from memory. While the store answers, one of the
 * processes on it tells each change. Without it Redis says which one; without that too each process tells what it sees,
 * once. What was told is written down, with its instants, when the store answers again.
 *
 * Without destinations it does nothing.
 */
export class Alerting extends Teller<AlertingOptions, 'alerts'> {
  readonly #book: AlertBook;
  readonly #reach: StoreReach;
  readonly #outbox: AlertOutbox;
  /** Changes that were told without the store. */
  readonly #unwritten: AlertChange[] = [];
  readonly #guarded: ReturnType<typeof tellingOnce>;

  constructor(options: AlertingOptions) {
    const { store, clock, alerts, log } = options;
    const reach = new StoreReach(clock);
    const outbox = new AlertOutbox(store.deliveries, reach, clock);
    // Each takes messages one by one.
    const couriers = alerts.destinations.length;
    super(options, {
      lanes: [{ name: 'alerts', outbox, couriers, retry, giveUpAfterMs }],
      noun: 'an alert',
      failure: 'error',
    });
    this.#reach = reach;
    this.#outbox = outbox;
    this.#book = new AlertBook(alerts, options.randomness);
    this.#guarded = tellingOnce(
      (err) => log.error({ err }, 'the store does not answer: alerts are kept in memory and sent from there'),
      () => log.info({}, 'the store answers again: the alerts that it lacked are written down'),
    );
  }

  figures() {
    const { sent, failed, pending: postponed } = this.attempts.alerts;
    return { on: this.#book.alerts.length, isAlone: !this.#reach.isThere, attempts: { sent, failed, postponed } };
  }

  protected async look(): Promise<void> {
    const { clock } = this.options;
    const facts = this.options.facts();
    if (facts === undefined) return;
    this.#book.look(facts, clock.monotonicMs());
    // While it answers what others told is known before anything is decided; else nothing waits for it.
    if (this.#reach.isThere) await this.#guarded(() => this.#share());
    const isAlone = !this.#reach.isThere;
    for (const due of this.#book.due(clock.now(), clock.monotonicMs(), isAlone)) {
      // The store went just now: whether others still see what would be over is looked at again.
      if (due.change.step === 'ended' && isAlone !== !this.#reach.isThere) continue;
      await this.#tell(due);
    }
    if (!this.#reach.isThere) await this.#guarded(() => this.#share());
  }

  protected override prune(before: EpochMs): Promise<void> {
    return this.#outbox.prune(before);
  }

  /** Writes down what the store lacks, and takes over what others have told. */
  async #share(): Promise<void> {
    const { store, clock, claims } = this.options;
    if (!this.#reach.isThere) await claims?.keep(this.#book.alerts.map(alertKey)).catch(() => {});
    for (let first = this.#unwritten[0]; first !== undefined; first = this.#unwritten[0]) {
      const change = first;
      await this.#reach.ask(() => store.alerts.write(change));
      this.#unwritten.shift();
    }
    await this.#outbox.write();
    await this.#reach.ask(() => store.alerts.see(this.#book.seen));
    const shared = await this.#reach.ask(() => store.alerts.list());
    await this.#outbox.forget();
    this.#book.adopt(shared, clock.monotonicMs());
    this.#reach.back();
  }

  async #tell({ change, lastSeenAt }: DueChange): Promise<void> {
    const { clock, log } = this.options;
    const deliveries = this.#deliveriesOf(change);
    const taken = await this.#take(change, deliveries, lastSeenAt);
    if (taken === undefined) return;
    this.#book.told(taken.change, clock.monotonicMs());
    if (!taken.isOurs) return;
    this.#outbox.add(deliveries, taken.isWritten);
    const { id, name, subject, summary } = change;
    log.warn({ alert: id, name, subject, summary }, said[change.step ?? 'raised']);
  }

  /**
   * Decides whether this process tells a change. `undefined`: the store says that another one did, or sees it still,
   * which the next look takes over.
   */
  async #take(change: AlertChange, deliveries: readonly NewDelivery[], lastSeenAt: EpochMs | undefined) {
    const { store, claims } = this.options;
    if (this.#reach.isThere) {
      try {
        const isOurs = await this.#reach.ask(() => store.alerts.take(change, deliveries, lastSeenAt));
        return isOurs ? { change, isOurs, isWritten: true } : undefined;
      } catch {
        // The next look says so in the log.
      }
    }
    // Without Redis each process tells it: at most one message of each for a change.
    const told = await claims?.take(change).catch(() => change);
    const taken = told ?? change;
    // Whoever told it, its row is the same: the first that can writes it.
    this.#unwritten.push(taken);
    if (this.#unwritten.length > unwrittenMax) this.#unwritten.shift();
    return { change: taken, isOurs: taken === change, isWritten: false };
  }

  #deliveriesOf(change: AlertChange): NamedDelivery[] {
    const { alerts, clock, randomness } = this.options;
    const now = clock.now();
    const content = JSON.stringify(change);
    return receiversOf(change, alerts).map(({ name: destination }, index) => {
      return { id: newId('dlv', randomness), destination, content, createdAt: (now + index) as EpochMs };
    });
  }

  protected async send(claim: ClaimedDelivery, stopping: AbortSignal): Promise<SendOutcome> {
    const { alerts, clock, places } = this.options;
    const destination = alerts.destinations.find(({ name }) => name === claim.destination);
    if (destination === undefined) return { kind: 'postponed', reason: 'not configured' };
    const { kind, url = '', secret, chat, to = '' } = destination;
    const change = JSON.parse(claim.content) as AlertChange;
    if (kind === 'mail') {
      const envelope = { to, messageId: claim.messageId };
      return sendMail(this.options, alertMail(change, places()), envelope, stopping);
    }
    const body = JSON.stringify(alertBody({ kind, secret, chat }, change, places()));
    const signedWith = kind === 'webhook' ? secret : undefined;
    return sendWebhook({ url, id: claim.id, body, secret: signedWith }, clock, stopping);
  }
}

const said = {
  raised: 'an alert is on',
  repeated: 'an alert is still on, and nobody has acknowledged it: it is told again',
  escalated: 'nobody has acknowledged an alert: others are told',
  ended: 'an alert is over',
} as const;

/** The destinations of a change: second ones are told of what was escalated, and how that went on. */
function receiversOf({ step, event, escalatedAt }: AlertChange, { destinations, escalateTo }: AlertSettings) {
  return destinations.filter(({ name, events }) => {
    const isSecond = escalateTo.includes(name);
    const isMeant = isSecond ? escalatedAt !== undefined : step !== 'escalated';
    return isMeant && events.includes(event);
  });
}

/** A message of no alert, to try a destination; where it would open an incident, also its end. */
export function testDeliveries({ name, kind }: Pick<AlertDestination, 'name' | 'kind'>, now: EpochMs): NewDelivery[] {
  const test = { id: `alr_test${now}`, name: 'Test', subject: name, event: 'test', severity: 'info' } as const;
  const raised: AlertChange = { ...test, summary: 'A test of this destination. Nothing is wrong.', raisedAt: now };
  const told = kind === 'pagerduty' ? [raised, { ...raised, endedAt: now }] : [raised];
  return told.map((change) => ({ destination: name, content: JSON.stringify(change) }));
}

export const alertMetrics: MetricGroup<ReturnType<Alerting['figures']> | undefined> = {
  title: 'Notices',
  metrics: [
    {
      name: 'alerts_on',
      help: 'Alerts that are on, as far as this process knows.',
      read: (figures) => figures?.on,
    },
    {
      name: 'alerts_without_store',
      help: '1 while alerts are decided and sent from memory, because the store does not answer.',
      read: (figures) => figures && Number(figures.isAlone),
    },
    {
      name: 'alert_attempts_total',
      help: 'Attempts to send an alert to a destination, by outcome.',
      labels: ['outcome'],
      read: (figures) => figures?.attempts,
    },
  ],
};
