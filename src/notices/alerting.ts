import type { EpochMs } from '../ground/clock.ts';
import type { AlertChange, AlertFact } from '../store/alerts.ts';
import type { ClaimedDelivery, NewDelivery } from '../store/deliveries.ts';
import type { Store } from '../store/store.ts';
import { type AlertDestination, alertBody, alertMail } from './alert-message.ts';
import { type RetryingSender, sendMail } from './send-mail.ts';
import { Teller } from './teller.ts';
import { type SendOutcome, sendWebhook } from './webhook.ts';

interface AlertingOptions extends RetryingSender {
  readonly store: Pick<Store, 'alerts' | 'deliveries'>;
  readonly alerts: { readonly destinations: readonly AlertDestination[]; readonly endAfterMs: number };
  /** Gives what is so now; `undefined` while the process does not know yet, or not any more. */
  readonly facts: () => readonly (AlertFact & { readonly isDue: boolean })[] | undefined;
  /** Where clients reach the service. */
  readonly baseUrl: () => string;
}

/**
 * Tells operators what is so and what is over: from facts to the outbox, and from there to each destination. Without
 * destinations it does nothing.
 */
export class Alerting extends Teller<AlertingOptions> {
  #watchedSinceMs: number | undefined;

  constructor(options: AlertingOptions) {
    // Each takes messages one by one.
    const couriers = options.alerts.destinations.length;
    super(options, { outbox: options.store.deliveries, noun: 'an alert', couriers });
  }

  protected async look(): Promise<void> {
    const { store, alerts, clock, log } = this.options;
    const nowMs = clock.monotonicMs();
    const facts = this.options.facts();
    if (facts === undefined) return;
    this.#watchedSinceMs ??= nowMs;
    const deliveriesOf = (change: AlertChange) => deliveriesFor(alerts.destinations, change);
    const watchedMs = nowMs - this.#watchedSinceMs;
    const told = await store.alerts.observe({ facts, endAfterMs: alerts.endAfterMs, deliveriesOf, watchedMs });
    for (const { id, name, subject, summary, endedAt } of told)
      log.warn({ alert: id, name, subject, summary }, endedAt === undefined ? 'an alert is on' : 'an alert is over');
  }

  protected async send(claim: ClaimedDelivery, stopping: AbortSignal): Promise<SendOutcome> {
    const { alerts, clock, baseUrl } = this.options;
    const destination = alerts.destinations.find(({ name }) => name === claim.destination);
    if (destination === undefined) return { kind: 'postponed', reason: 'not configured' };
    const { kind, url = '', secret, chat, to = '' } = destination;
    const change = JSON.parse(claim.content) as AlertChange;
    if (kind === 'mail') {
      const envelope = { to, messageId: claim.messageId };
      return sendMail(this.options, alertMail(change, baseUrl()), envelope, stopping);
    }
    const body = JSON.stringify(alertBody({ kind, secret, chat }, change, baseUrl()));
    const signedWith = kind === 'webhook' ? secret : undefined;
    return sendWebhook({ url, id: claim.id, body, secret: signedWith }, clock, stopping);
  }
}

/** The messages that tell a change. */
function deliveriesFor(destinations: readonly AlertDestination[], change: AlertChange): NewDelivery[] {
  const wanted = destinations.filter(({ events }) => events.includes(change.event));
  return wanted.map(({ name }) => ({ destination: name, content: JSON.stringify(change) }));
}

/** A message of no alert, to try a destination; where it would open an incident, also its end. */
export function testDeliveries({ name, kind }: Pick<AlertDestination, 'name' | 'kind'>, now: EpochMs): NewDelivery[] {
  const test = { id: `alr_test${now}`, name: 'Test', subject: name, event: 'test', severity: 'info' } as const;
  const raised: AlertChange = { ...test, summary: 'A test of this destination. Nothing is wrong.', raisedAt: now };
  const told = kind === 'pagerduty' ? [raised, { ...raised, endedAt: now }] : [raised];
  return told.map((change) => ({ destination: name, content: JSON.stringify(change) }));
}
