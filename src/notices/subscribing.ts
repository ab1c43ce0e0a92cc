import type { EpochMs } from '../ground/clock.ts';
import type { Language } from '../ground/languages.ts';
import type { ClaimedDelivery } from '../store/deliveries.ts';
import type { Store } from '../store/store.ts';
import { mailableAddress } from './message.ts';
import { postToPublic, strangersUrl } from './public-post.ts';
import { type RetryingSender, sendMail } from './send-mail.ts';
import { incidentNews, type NewsPlace, newsMessage, type StatusNews, tellWithinMs, windowNews } from './status-news.ts';
import { Teller } from './teller.ts';
import { type Post, type SendOutcome, sendWebhook } from './webhook.ts';

type Kind = 'mail' | 'webhook';

interface SubscribingOptions extends RetryingSender {
  readonly store: Pick<Store, 'subscriptions' | 'subscriptionMessages' | 'statusRecords' | 'windows'>;
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
const couriers = 4;
/** Requests to confirm of one client in an hour. Beyond so many clients only the bound of all together holds. */
const askedPerHourMax = 5;
const clientsMax = 100_000;

/**
 * Tells subscribers of incidents and maintenance: each event once, in one transaction with its messages, from whichever
 * process is the first.
 */
export class Subscribing extends Teller<SubscribingOptions> {
  readonly kinds: readonly Kind[];
  #asked = { hour: 0, by: new Map<string, number>() };

  constructor(options: SubscribingOptions) {
    const kinds = options.kinds.filter((kind) => kind !== 'mail' || options.mail !== undefined);
    const outbox = options.store.subscriptionMessages;
    super(options, { outbox, noun: 'a status update', couriers: kinds.length === 0 ? 0 : couriers });
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
    if (receiver === undefined) return 'malformed' as const;
    const { clock, store } = this.options;
    const now = clock.now();
    const hour = Math.floor(now / hourMs);
    if (hour !== this.#asked.hour) this.#asked = { hour, by: new Map() };
    const { by } = this.#asked;
    const asked = by.get(client) ?? 0;
    if (asked >= askedPerHourMax) return Math.ceil(((hour + 1) * hourMs - now) / 1_000);
    if (by.size < clientsMax) by.set(client, asked + 1);
    return store.subscriptions.ask({ kind, ...receiver, language });
  }

  protected async look(): Promise<void> {
    const { store, clock } = this.options;
    const now = clock.now();
    const [incidents, current, past] = await Promise.all([
      store.statusRecords.incidents((now - tellWithinMs) as EpochMs, listedMax),
      store.windows.list({ currentAt: now }),
      store.windows.listPast(now, listedMax),
    ]);
    const windows = [...past, ...current];
    const told = await store.subscriptions.told([...incidents, ...windows].map(({ id }) => id));
    const known = new Set(told.map(({ subject }) => subject));
    // One event of a thing with each look, so that messages keep their order.
    const telling = new Set<string>();
    for (const news of [...incidentNews(incidents.toReversed(), now), ...windowNews(windows, known, now)]) {
      const { id, key } = news;
      if (told.some(({ subject, event }) => subject === id && event === key) || telling.has(id)) continue;
      telling.add(id);
      await store.subscriptions.tell(id, key, JSON.stringify(news));
    }
  }

  protected override prune(): Promise<void> {
    return this.options.store.subscriptions.prune();
  }

  protected async send(claim: ClaimedDelivery, stopping: AbortSignal): Promise<SendOutcome> {
    const { store, place, clock, post = postToPublic() } = this.options;
    const { id, destination, content, messageId } = claim;
    const [subscription] = await store.subscriptions.list(destination);
    const news = content === '{}' ? undefined : (JSON.parse(content) as StatusNews);
    if (subscription === undefined) return { kind: 'refused', reason: 'unsubscribed' };
    const { kind, language, target, secret } = subscription;
    const token = await store.subscriptions.newToken(destination, news === undefined ? 'confirm' : 'end');
    const { mail, body } = newsMessage(news, token, language, place());
    if (kind === 'webhook') {
      const data = news === undefined ? { ...body.data, secret } : body.data;
      const timestamp = new Date(clock.now()).toISOString();
      const webhook = { url: target, id, body: JSON.stringify({ ...body, timestamp, data }), secret, post };
      return sendWebhook(webhook, clock, stopping);
    }
    const mayEnd = () => store.subscriptionMessages.beginSending(claim, answerLeaseMs);
    return sendMail(this.options, mail, { to: target, messageId }, stopping, mayEnd);
  }

  readonly confirm = (token: string) => this.options.store.subscriptions.confirm(token);
  readonly end = (token: string) => this.options.store.subscriptions.end(token);
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
