import type { EpochMs } from '../ground/clock.ts';
import type { Language } from '../ground/languages.ts';
import type { MetricGroup } from '../ground/metric.ts';
import type { ClaimedDelivery } from '../store/deliveries.ts';
import type { NoticeOutcome } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import type { SubscriptionLane } from '../store/subscription-messages.ts';
import type { SubscriptionRecord } from '../store/subscriptions.ts';
import { mailableAddress } from './message.ts';
import { postToPublic, strangersUrl } from './public-post.ts';
import { type RetryingSender, sendMail } from './send-mail.ts';
import { Settling } from './settling.ts';
import {
  incidentNews,
  type NewsPlace,
  newsMessage,
  type StatusNews,
  tellWithinMs,
  windowNews,
  writtenNews,
} from './status-news.ts';
import { attemptSamples, type Lane, Teller } from './teller.ts';
import { type Post, type SendOutcome, sendWebhook, stoppedReason } from './webhook.ts';

type Kind = 'mail' | 'webhook';

interface SubscribingOptions extends RetryingSender {
  readonly store: Pick<Store, 'subscriptions' | 'subscriptionMessages' | 'statusRecords' | 'incidents' | 'windows'>;
  /** Ways that visitors can choose; without a mail server there is no `mail`. */
  readonly kinds: readonly Kind[];
  readonly place: () => NewsPlace;
  /** Over one that reaches public addresses alone. */
  readonly post?: Post;
}

const hourMs = 3_600_000;
/** From a mail's end on no other process claims it while an answer may still come. */
const answerLeaseMs = 120_000;
const listedMax = 50;
/** Longer than the clocks of processes differ. */
const apartMs = 2_000;
/**
 * Couriers of strangers. A request to confirm goes to somebody who may never answer: it holds up no news. A subscriber
 * that did not take a message is sent the next one apart from those who do, ever more seldom.
 */
const lanes = {
  confirm: { couriers: 8, retry: { minMs: 30_000, maxMs: 3_600_000, jitter: 'equal' } },
  news: { couriers: 32, retry: { minMs: 30_000, maxMs: 3_600_000, jitter: 'equal' } },
  failing: { couriers: 4, retry: { minMs: 60_000, maxMs: 6 * hourMs, jitter: 'equal' } },
} as const satisfies Record<SubscriptionLane, Pick<Lane, 'couriers' | 'retry'>>;
const laneNames = Object.keys(lanes) as SubscriptionLane[];
/** A receiver of webhooks that is slower than that is slow for all others. */
const strangersTimeoutMs = 5_000;
/**
 * Requests to confirm in an hour: of one client, and of a network that one customer gets (RFC 6177). Beyond so many
 * clients only the bounds of the store hold.
 */
const askedPerHourMax = 5;
const askedOfNetworkPerHourMax = 15;
const clientsMax = 100_000;

/**
 * Tells subscribers of incidents and maintenance: each event once, in one transaction with its messages, from whichever
 * process is the first.
 */
export class Subscribing extends Teller<SubscribingOptions, SubscriptionLane> {
  readonly kinds: readonly Kind[];
  #asked = { hour: 0, by: new Map<string, number>() };
  /** Requests to subscribe since the start, by what was answered. */
  readonly requests = { asked: 0, malformed: 0, limited: 0 };
  #waiting = 0;

  constructor(options: SubscribingOptions) {
    const kinds = options.kinds.filter((kind) => kind !== 'mail' || options.mail !== undefined);
    const { subscriptions, subscriptionMessages } = options.store;
    const settling = new Settling(subscriptions, (subscription) =>
      options.log.warn({ subscription }, 'a subscriber has taken no status update for five days, and gets no more'),
    );
    const all = laneNames.map((name) => {
      const { retry, couriers } = lanes[name];
      const outbox = laneOf(name, subscriptionMessages, settling);
      return { name, outbox, retry, couriers: kinds.length === 0 ? 0 : couriers, giveUpAfterMs: tellWithinMs };
    });
    super(options, { lanes: all, noun: 'a status update', failure: 'warn' });
    this.kinds = kinds;
  }

  /**
   * Has whoever reads the target asked. Resolves with `malformed`, with the seconds to wait when too many were asked,
   * or with `undefined`, which says nothing about the target.
   *
   * @param client whom the request is counted on
   */
  async ask(kind: Kind, written: string, language: Language, client: string) {
    const receiver = receiverOf(kind, written.trim());
    if (receiver === undefined) {
      this.requests.malformed++;
      return 'malformed' as const;
    }
    const { clock, store } = this.options;
    const waitSeconds =
      this.#count(client, clock.now()) ?? (await store.subscriptions.ask({ kind, ...receiver, language }));
    this.requests[waitSeconds === undefined ? 'asked' : 'limited']++;
    return waitSeconds;
  }

  /** Gives the seconds to wait where the client, or its network, has asked often enough. */
  #count(client: string, now: EpochMs): number | undefined {
    const hour = Math.floor(now / hourMs);
    if (hour !== this.#asked.hour) this.#asked = { hour, by: new Map() };
    const { by } = this.#asked;
    const bounds = [
      [client, askedPerHourMax],
      [networkOf(client), askedOfNetworkPerHourMax],
    ] as const;
    const isUsedUp = bounds.some(([name, max]) => name !== undefined && (by.get(name) ?? 0) >= max);
    if (isUsedUp) return Math.ceil(((hour + 1) * hourMs - now) / 1_000);
    for (const [name] of bounds)
      if (name !== undefined && (by.has(name) || by.size < clientsMax)) by.set(name, (by.get(name) ?? 0) + 1);
    return undefined;
  }

  /** Counts of this process, and of the messages that wait, in all of them. */
  figures() {
    return { requests: this.requests, attempts: this.attempts, waiting: this.#waiting };
  }

  protected async look(): Promise<void> {
    const { store, clock } = this.options;
    const now = clock.now();
    const since = (now - tellWithinMs) as EpochMs;
    const [incidents, written, current, past] = await Promise.all([
      store.statusRecords.incidents(since, listedMax),
      store.incidents.list({ changedSince: since, limit: listedMax }),
      store.windows.list({ currentAt: now }),
      store.windows.listPast(now, listedMax),
    ]);
    const windows = [...past, ...current];
    const told = await store.subscriptions.told([...incidents, ...written, ...windows].map(({ id }) => id));
    const known = new Set(told.map(({ subject }) => subject));
    // One event of a thing with each look, whichever process looks, so that messages keep their order.
    const telling = new Set(told.filter(({ toldAt }) => now - toldAt < apartMs).map(({ subject }) => subject));
    const all = [
      ...incidentNews(incidents.toReversed(), written, known, now),
      ...writtenNews(written, now),
      ...windowNews(windows, known, now),
    ];
    for (const news of all) {
      const { id, key } = news;
      if (told.some(({ subject, event }) => subject === id && event === key) || telling.has(id)) continue;
      telling.add(id);
      await store.subscriptions.tell(id, key, JSON.stringify(news));
    }
    this.#waiting = await store.subscriptionMessages.countPending();
  }

  protected override async prune(before: EpochMs): Promise<void> {
    const { store } = this.options;
    await store.subscriptionMessages.prune(before);
    await store.subscriptions.prune();
  }

  protected async send(claim: ClaimedDelivery, stopping: AbortSignal): Promise<SendOutcome> {
    const [subscription] = await this.options.store.subscriptions.list(claim.destination);
    if (subscription === undefined) return { kind: 'refused', reason: 'unsubscribed' };
    const outcome = await this.#attempt(claim, subscription, stopping);
    // Only our own mail server is asked again for somebody who may not want it.
    const isOnce = claim.content === '{}' && subscription.kind === 'webhook' && !stopping.aborted;
    return isOnce && outcome.kind === 'postponed' ? { kind: 'refused', reason: outcome.reason } : outcome;
  }

  async #attempt(
    claim: ClaimedDelivery,
    subscription: SubscriptionRecord,
    stopping: AbortSignal,
  ): Promise<SendOutcome> {
    const { store, place, clock, post = postToPublic() } = this.options;
    const { messageId, content } = claim;
    const { kind, language, target, secret } = subscription;
    const news = content === '{}' ? undefined : (JSON.parse(content) as StatusNews);
    const token = await store.subscriptions.token(subscription, news === undefined ? 'confirm' : 'end', claim.id);
    const { mail, body } = newsMessage(news, token, language, place());
    if (kind === 'webhook') {
      const data = news === undefined ? { ...body.data, secret } : body.data;
      const timestamp = new Date(clock.now()).toISOString();
      const text = JSON.stringify({ ...body, timestamp, data });
      const webhook = { url: target, id: claim.id, body: text, secret, post, timeoutMs: strangersTimeoutMs };
      return sendWebhook(webhook, clock, stopping);
    }
    const mayEnd = () => store.subscriptionMessages.beginSending(claim, answerLeaseMs);
    return sendMail(this.options, mail, { to: target, messageId }, stopping, mayEnd);
  }

  readonly confirm = (token: string) => this.options.store.subscriptions.confirm(token);
  readonly end = (token: string) => this.options.store.subscriptions.end(token);
}

function laneOf(name: SubscriptionLane, messages: Store['subscriptionMessages'], settling: Settling): Lane['outbox'] {
  const own = messages.of(name);
  return {
    claimMany: (options, limit) => own.claimMany(options, limit),
    settle: (claim, outcome) => settling.settle({ claim, outcome, isTaken: isTaken(outcome) }),
  };
}

/** Whether the subscriber took a message. A process that stops says nothing of it: the next one tries at once. */
function isTaken(outcome: NoticeOutcome): boolean | undefined {
  if (outcome.status === 'unconfirmed' || (outcome.status === 'pending' && outcome.error === stoppedReason))
    return undefined;
  return outcome.status === 'sent';
}

/**
 * The target as it is kept, and the name of its receiver: a mailbox gets mail for all of its tags, and a path for all
 * queries.
 */
function receiverOf(kind: Kind, written: string): Record<'target' | 'receiver', string> | undefined {
  const url = kind === 'webhook' ? strangersUrl(written) : undefined;
  if (kind === 'webhook') return url && { target: url.href, receiver: url.origin + url.pathname };
  const target = mailableAddress(written);
  if (target === undefined) return undefined;
  return { target, receiver: target.toLowerCase().replace(/\+[^@]*(?=@)/, '') };
}

/** The /48 of an IPv6 client; `undefined` of any other. */
function networkOf(client: string): string | undefined {
  if (!client.includes(':')) return undefined;
  const [head = ''] = client.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  return `${[...groups, '0', '0', '0'].slice(0, 3).join(':')}::/48`;
}

export const subscriptionMetrics: MetricGroup<ReturnType<Subscribing['figures']>> = {
  title: 'Notices',
  metrics: [
    {
      name: 'subscription_requests_total',
      help: 'Requests to subscribe to the status page, by what was answered.',
      labels: ['outcome'],
      read: ({ requests }) => ({ ...requests }),
    },
    {
      name: 'subscription_attempts_total',
      help: 'Attempts to send a message to a subscriber, by its couriers and outcome.',
      labels: ['lane', 'outcome'],
      read: ({ attempts }) => attemptSamples(attempts),
    },
    {
      name: 'subscription_messages_pending',
      help: 'Messages to subscribers that are still to be sent, of all processes.',
      read: ({ waiting }) => waiting,
    },
  ],
};
