import { type Clock, type EpochMs, type Randomness, type Timer, withTimeout } from '../clock.ts';
import { type Log, tellingOnce } from '../log.ts';
import type { AlertChange, AlertFact } from '../store/alerts.ts';
import type { ClaimedDelivery, NewDelivery } from '../store/deliveries.ts';
import type { Store } from '../store/store.ts';
import { AlertCourier } from './alert-courier.ts';
import { type AlertDestination, alertMessage } from './alert-message.ts';
import { deliver, type SmtpServer } from './delivery.ts';
import { composeMessage, domainOf, type MailBody, type Mailbox } from './message.ts';
import { sendWebhook, type WebhookOutcome } from './webhook.ts';

interface AlertingOptions {
  readonly store: Pick<Store, 'alerts' | 'deliveries'>;
  readonly alerts: { readonly destinations: readonly AlertDestination[]; readonly endAfterMs: number };
  /** Gives what is so now; `undefined` while the process does not know yet, or not any more. */
  readonly facts: () => readonly (AlertFact & { readonly isDue: boolean })[] | undefined;
  readonly mail: { readonly server: SmtpServer; readonly from: Mailbox } | undefined;
  /** Where clients reach the service. */
  readonly baseUrl: () => string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

const lookEveryMs = 5_000;
const mailTimeoutMs = 60_000;
const pruneEveryMs = 3_600_000;
const keptMs = 30 * 86_400_000;

/** Tells operators what is so and what is over: from facts to the outbox, and from there to each destination. Without destinations it does nothing. */
export class Alerting {
  readonly #options: AlertingOptions;
  readonly #couriers: readonly AlertCourier[];
  readonly #guarded: ReturnType<typeof tellingOnce>;
  #timer: Timer | undefined;
  #look: Promise<void> | undefined;
  #watchedSinceMs: number | undefined;
  #prunedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: AlertingOptions) {
    const { alerts, store, log, mail } = options;
    this.#options = options;
    this.#guarded = tellingOnce((err) => log.error({ err }, 'alerts cannot be kept; they are looked at again'));
    // As many as destinations: each takes messages one by one, so that none waits for another that does not answer.
    this.#couriers = alerts.destinations.map(() => {
      const messageIdDomain = mail === undefined ? 'localhost' : domainOf(mail.from.address);
      const send = (delivery: ClaimedDelivery, stopping: AbortSignal) => this.#send(delivery, stopping);
      return new AlertCourier({ ...options, deliveries: store.deliveries, messageIdDomain, send });
    });
  }

  start(): void {
    if (this.#couriers.length === 0) return;
    for (const courier of this.#couriers) courier.start();
    this.#timer = this.#options.clock.every(lookEveryMs, () => {
      this.#look ??= this.#guarded(() => this.#observe()).finally(() => {
        this.#look = undefined;
      });
    });
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await Promise.all([this.#look, ...this.#couriers.map((courier) => courier.stop())]);
  }

  async #observe(): Promise<void> {
    const { store, alerts, clock, log } = this.#options;
    const nowMs = clock.monotonicMs();
    const facts = this.#options.facts();
    if (facts === undefined) return;
    this.#watchedSinceMs ??= nowMs;
    const deliveriesOf = (change: AlertChange) => deliveriesFor(alerts.destinations, change);
    const watchedMs = nowMs - this.#watchedSinceMs;
    const told = await store.alerts.observe({ facts, endAfterMs: alerts.endAfterMs, deliveriesOf, watchedMs });
    for (const { id, name, subject, summary, endedAt } of told)
      log.warn({ alert: id, name, subject, summary }, endedAt === undefined ? 'an alert is on' : 'an alert is over');
    if (nowMs - this.#prunedAtMs < pruneEveryMs) return;
    this.#prunedAtMs = nowMs;
    await store.deliveries.prune((clock.now() - keptMs) as EpochMs);
  }

  async #send(claim: ClaimedDelivery, stopping: AbortSignal): Promise<WebhookOutcome> {
    const { alerts, clock, baseUrl } = this.#options;
    const destination = alerts.destinations.find(({ name }) => name === claim.destination);
    if (destination === undefined) return { kind: 'postponed', reason: 'not configured' };
    const { kind, url = '', secret, to = '' } = destination;
    const message = alertMessage(destination, JSON.parse(claim.content) as AlertChange, baseUrl());
    if (kind === 'mail') return this.#sendMail(to, claim, message as MailBody, stopping);
    const signedWith = kind === 'webhook' ? secret : undefined;
    return sendWebhook({ url, id: claim.id, body: JSON.stringify(message), secret: signedWith }, clock, stopping);
  }

  async #sendMail(to: string, { messageId }: ClaimedDelivery, body: MailBody, stopping: AbortSignal) {
    const { mail, clock } = this.#options;
    if (mail === undefined) return { kind: 'postponed', reason: 'no mail server is configured' } as const;
    const { server, from } = mail;
    const message = await composeMessage(body, { from, to, messageId, date: clock.now() });
    const sent = await withTimeout(clock, mailTimeoutMs, (late) => {
      const signal = AbortSignal.any([stopping, late]);
      return deliver({ server, envelope: { from: from.address, to }, message, mayEnd: async () => true, signal });
    });
    if (sent.kind === 'accepted') return sent;
    // Mail servers repeat the address.
    const reason = sent.kind === 'withdrawn' ? 'withdrawn' : sent.reason.replaceAll(to, '(the address)');
    return { kind: sent.kind === 'refused' ? 'refused' : 'postponed', reason } as const;
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
