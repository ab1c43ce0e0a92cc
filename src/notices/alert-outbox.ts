import type { Clock, EpochMs } from '../ground/clock.ts';
import type { ClaimedDelivery, Deliveries, KeptDelivery } from '../store/deliveries.ts';
import type { NoticeOutcome } from '../store/outbox.ts';
import type { StoreReach } from './store-reach.ts';

type ClaimOptions = Parameters<Deliveries['claimMany']>[0];

/** A message with the id under which it is sent, whoever sends it. */
export type NamedDelivery = Pick<ClaimedDelivery, 'id' | 'destination' | 'content' | 'createdAt'>;

type SharedOutbox = Pick<Deliveries, 'claimMany' | 'settle' | 'keep' | 'pendingOf' | 'prune'>;

/** A message of this process, from its making until the store is known to have what became of it. */
interface Message {
  readonly id: string;
  readonly destination: string;
  readonly content: string;
  readonly createdAt: EpochMs;
  status: KeptDelivery['status'];
  attempts: number;
  nextAttemptAt: EpochMs;
  sentAt: EpochMs | undefined;
  lastError: string | undefined;
  /** The side that sends it now: with a claim of the store, or from memory. */
  underWay: 'store' | 'memory' | undefined;
  /** The store lacks something of it. */
  isUnwritten: boolean;
}

/** More than a process can have to tell: beyond that the oldest that was sent is forgotten. */
const keptMax = 5_000;

/**
 * The outbox of alerts. While the store answers it is there, shared by all processes. What this process made is kept in
 * memory besides until it is settled: once the store does not answer it is sent from there, under the same id, and
 * written down when it answers again.
 */
export class AlertOutbox {
  readonly #deliveries: SharedOutbox;
  readonly #reach: StoreReach;
  readonly #clock: Clock;
  readonly #messages = new Map<string, Message>();

  constructor(deliveries: SharedOutbox, reach: StoreReach, clock: Clock) {
    this.#deliveries = deliveries;
    this.#reach = reach;
    this.#clock = clock;
  }

  /** Takes messages that this process tells. @param isWritten the store has them */
  add(deliveries: readonly NamedDelivery[], isWritten: boolean): void {
    for (const delivery of deliveries) this.#remember(delivery, isWritten);
  }

  async claimMany(options: ClaimOptions, limit: number): Promise<readonly ClaimedDelivery[]> {
    if (!this.#reach.isThere) return this.#claimFromMemory(options.messageIdDomain, limit);
    const claimed = await this.#reach.ask(() => this.#deliveries.claimMany(options, limit)).catch(() => undefined);
    if (claimed === undefined) return this.#claimFromMemory(options.messageIdDomain, limit);
    return claimed.filter((each) => {
      const known = this.#messages.get(each.id) ?? this.#remember(each, true);
      // Sent from memory while the store did not answer, which it does not know yet.
      if (known.status !== 'pending' || known.underWay !== undefined) return false;
      known.underWay = 'store';
      known.attempts = each.attempts;
      return true;
    });
  }

  async settle(claim: ClaimedDelivery, outcome: NoticeOutcome): Promise<boolean> {
    const known = this.#messages.get(claim.id) ?? this.#remember(claim, true);
    const { underWay } = known;
    known.underWay = undefined;
    known.isUnwritten = true;
    known.status = outcome.status;
    known.lastError = outcome.status === 'sent' ? undefined : outcome.error;
    if (outcome.status === 'sent') known.sentAt = this.#clock.now();
    if (outcome.status === 'pending') known.nextAttemptAt = outcome.nextAttemptAt;
    if (!this.#reach.isThere) return true;
    try {
      if (underWay === 'store') await this.#reach.ask(() => this.#deliveries.settle(claim, outcome));
      else await this.#reach.ask(() => this.#deliveries.keep(known));
      this.#written(known);
    } catch {
      // Written down when the store answers again.
    }
    return true;
  }

  /** Writes down what the store lacks, in the order in which it was made. Rejects as the store does. */
  async write(): Promise<void> {
    for (const message of this.#messages.values()) {
      if (!message.isUnwritten || message.underWay !== undefined) continue;
      await this.#reach.ask(() => this.#deliveries.keep(message));
      this.#written(message);
    }
  }

  /** Forgets what other processes have settled. Rejects as the store does. */
  async forget(): Promise<void> {
    const waiting = [...this.#messages.values()].filter(({ underWay, isUnwritten }) => !isUnwritten && !underWay);
    if (waiting.length === 0) return;
    const ids = waiting.map(({ id }) => id);
    const pending = new Set(await this.#reach.ask(() => this.#deliveries.pendingOf(ids)));
    for (const { id, underWay, isUnwritten } of waiting)
      if (!pending.has(id) && !isUnwritten && underWay === undefined) this.#messages.delete(id);
  }

  async prune(before: EpochMs): Promise<void> {
    if (this.#reach.isThere) await this.#reach.ask(() => this.#deliveries.prune(before));
  }

  #remember({ id, destination, content, createdAt }: NamedDelivery, isWritten: boolean): Message {
    const message: Message = {
      id,
      destination,
      content,
      createdAt,
      status: 'pending',
      attempts: 0,
      nextAttemptAt: createdAt,
      sentAt: undefined,
      lastError: undefined,
      underWay: undefined,
      isUnwritten: !isWritten,
    };
    this.#messages.set(id, message);
    for (const [oldest, { status }] of this.#messages) {
      if (this.#messages.size <= keptMax) break;
      if (status !== 'pending') this.#messages.delete(oldest);
    }
    return message;
  }

  /** One that is to be sent stays: the store may go before it is. */
  #written(message: Message): void {
    message.isUnwritten = false;
    if (message.status !== 'pending') this.#messages.delete(message.id);
  }

  /** One waits for those before it to the same destination. */
  #claimFromMemory(messageIdDomain: string, limit: number): readonly ClaimedDelivery[] {
    const now = this.#clock.now();
    const claimed: ClaimedDelivery[] = [];
    const waiting = new Set<string>();
    for (const message of this.#messages.values()) {
      const { id, destination, status, underWay, nextAttemptAt } = message;
      if (status !== 'pending') continue;
      const isFirst = !waiting.has(destination);
      waiting.add(destination);
      if (!isFirst || underWay !== undefined || nextAttemptAt > now || claimed.length === limit) continue;
      message.underWay = 'memory';
      message.attempts++;
      const { content, createdAt, attempts, lastError } = message;
      const claim = { id, destination, content, createdAt, status, attempts, nextAttemptAt, lastError };
      claimed.push({ ...claim, messageId: `<${id}@${messageIdDomain}>`, claimedUntil: undefined, sentAt: undefined });
    }
    return claimed;
  }
}
