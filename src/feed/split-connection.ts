import type { Clock } from '../ground/clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { LiveConnection, LiveEvent, LiveListener, SubscriptionRefusal } from './connector.ts';
import type { PacedQueue } from './pace.ts';

/** How many markets a session takes. A connector has one: what is learnt on a connection holds for the next. */
export interface SessionBound {
  symbolsMax: number;
}

interface SplitOptions {
  readonly clock: Clock;
  /** Opens a session. @param isLeading it carries what is not of a market, such as states */
  readonly open: (listener: LiveListener, isLeading: boolean) => LiveConnection;
  readonly bound: SessionBound;
  readonly sessionsMax: number;
  /** The pace of openings, over all connections of the exchange. */
  readonly openings: Pick<PacedQueue, 'push'>;
  /** Without acknowledgements a market counts as taken until it is refused. */
  readonly hasAcknowledgements: boolean;
  readonly listener: LiveListener;
}

/** One session with the exchange. */
interface Session {
  /** `undefined` until its turn to open has come. */
  connection: LiveConnection | undefined;
  readonly symbols: Set<MarketSymbol>;
  readonly accepted: Set<MarketSymbol>;
  isOpen: boolean;
  /** The exchange refuses further markets on it. */
  isFull: boolean;
  heardAtMs: number;
}

/** A session among others on which nothing arrives for so long is given up. */
const silentForMs = 10_000;
const retryMinMs = 2_000;
const retryMaxMs = 60_000;

/**
 * One connection to its user, as many sessions with the exchange as its bound requires: another is opened when all are
 * full by the bound, or because the exchange says so, from which the bound is learnt. A market refused without a known
 * reason is tried on others, until one that has no other market refuses it as well. The end of one session is the end
 * of its markets' subscriptions, that of the last one the end of the connection.
 */
export class SplitConnection implements LiveConnection {
  readonly #options: SplitOptions;
  readonly #sessions: Session[] = [];
  #leading: Session | undefined;
  /** Markets on their way to another session. */
  readonly #leaving: MarketSymbol[] = [];
  /** The sessions, with markets of their own, that refused one without a known reason. */
  readonly #refusedBy = new Map<MarketSymbol, readonly Session[]>();
  /** Markets that a session without any other refused as well. */
  readonly #blamed = new Set<MarketSymbol>();
  #openFailures = 0;
  #noneBeforeMs = Number.NEGATIVE_INFINITY;
  #hasOpened = false;
  #hasEnded = false;

  constructor(options: SplitOptions) {
    this.#options = options;
    this.#add();
  }

  get sessions(): number {
    return this.#sessions.length;
  }

  subscribe(symbols: readonly MarketSymbol[]): void {
    const added = new Map<Session, MarketSymbol[]>();
    const turnedAway: MarketSymbol[] = [];
    for (const symbol of symbols) {
      const session = this.#sessionFor(symbol);
      if (session === undefined) {
        turnedAway.push(symbol);
        continue;
      }
      session.symbols.add(symbol);
      added.getOrInsertComputed(session, () => []).push(symbol);
    }
    for (const [session, own] of added) if (session.isOpen) session.connection?.subscribe(own);
    this.#reject(turnedAway, 'full');
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const session of [...this.#sessions]) {
      const own = symbols.filter((symbol) => session.symbols.delete(symbol));
      for (const symbol of own) session.accepted.delete(symbol);
      if (own.length > 0) session.connection?.unsubscribe(own);
    }
  }

  ping(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const session of [...this.#sessions]) {
      if (!session.isOpen) continue;
      // Alone, it is judged by whoever uses the connection.
      if (this.#sessions.length > 1 && nowMs - session.heardAtMs > silentForMs) this.#giveUp(session);
      else session.connection?.ping();
    }
  }

  terminate(): void {
    this.#hasEnded = true;
    for (const { connection } of this.#sessions) connection?.terminate();
  }

  /** `undefined`: there is no room, and no other session may be opened now. */
  #sessionFor(symbol: MarketSymbol): Session | undefined {
    const { bound, sessionsMax, clock } = this.#options;
    const known = this.#sessions.find(({ symbols }) => symbols.has(symbol));
    if (known !== undefined) return known;
    const mayOpen = this.#sessions.length < sessionsMax && clock.monotonicMs() >= this.#noneBeforeMs;
    if (this.#leading === undefined && mayOpen) return this.#add();
    const withRoom = this.#sessions.find(({ symbols, isFull }) => !isFull && symbols.size < bound.symbolsMax);
    return withRoom ?? (mayOpen ? this.#add() : undefined);
  }

  #add(): Session {
    const { clock, open, openings } = this.#options;
    const session: Session = {
      connection: undefined,
      symbols: new Set(),
      accepted: new Set(),
      isOpen: false,
      isFull: false,
      heardAtMs: clock.monotonicMs(),
    };
    this.#sessions.push(session);
    const isLeading = this.#leading === undefined;
    if (isLeading) this.#leading = session;
    const begin = () => {
      if (this.#hasEnded || !this.#sessions.includes(session)) return;
      session.connection = open((event) => this.#received(session, event), isLeading);
    };
    // Whoever opens the connection waits between its own attempts: what is paced here is what it does not see.
    if (isLeading) begin();
    else openings.push({ begin });
    return session;
  }

  #received(session: Session, event: LiveEvent): void {
    if (this.#hasEnded || !this.#sessions.includes(session)) return;
    session.heardAtMs = this.#options.clock.monotonicMs();
    if (event.type === 'opened') this.#opened(session);
    else if (event.type === 'closed') this.#ended(session, event);
    else if (event.type === 'rejected') this.#rejected(session, event.symbol, event.reason);
    else {
      if (event.type === 'accepted') this.#accepted(session, event.symbol);
      this.#options.listener(event);
    }
  }

  #opened(session: Session): void {
    session.isOpen = true;
    this.#openFailures = 0;
    if (session.symbols.size > 0) session.connection?.subscribe([...session.symbols]);
    if (this.#hasOpened) return;
    this.#hasOpened = true;
    this.#options.listener({ type: 'opened' });
  }

  #accepted(session: Session, symbol: MarketSymbol): void {
    session.accepted.add(symbol);
    this.#blamed.delete(symbol);
    const full = this.#refusedBy.get(symbol)?.at(-1);
    if (full === undefined || full === session) return;
    // It was the session after all.
    this.#refusedBy.delete(symbol);
    this.#learn(this.#takenBy(full));
  }

  #rejected(session: Session, symbol: MarketSymbol, reason: SubscriptionRefusal): void {
    if (reason !== 'unanswered') session.symbols.delete(symbol);
    session.accepted.delete(symbol);
    const taken = this.#takenBy(session);
    const isUnclear = reason === 'unclear' && !this.#blamed.has(symbol);
    if (taken > 0 && (reason === 'full' || isUnclear)) {
      session.isFull = true;
      if (reason === 'full') this.#learn(taken);
      else this.#refusedBy.set(symbol, [...(this.#refusedBy.get(symbol) ?? []), session]);
      this.#move(symbol);
      return;
    }
    // A session that takes nothing at all: it is not the session that is full.
    if (reason === 'full') this.#openFailed(0);
    if (reason === 'unclear') this.#blame(symbol);
    if (session.symbols.size === 0 && session !== this.#leading) this.#drop(session);
    this.#reject([symbol], reason);
  }

  #takenBy({ accepted, symbols }: Session): number {
    return this.#options.hasAcknowledgements ? accepted.size : symbols.size;
  }

  #blame(symbol: MarketSymbol): void {
    this.#blamed.add(symbol);
    for (const session of this.#refusedBy.get(symbol) ?? []) session.isFull = false;
    this.#refusedBy.delete(symbol);
  }

  #learn(taken: number): void {
    const { bound } = this.#options;
    bound.symbolsMax = Math.max(1, Math.min(bound.symbolsMax, taken));
  }

  /** Once everything that has arrived is read: further markets of the same refusal leave together. */
  #move(symbol: MarketSymbol): void {
    if (this.#leaving.push(symbol) > 1) return;
    queueMicrotask(() => {
      const leaving = this.#leaving.splice(0);
      if (!this.#hasEnded) this.subscribe(leaving);
    });
  }

  #giveUp(session: Session): void {
    session.connection?.terminate();
    this.#ended(session, { type: 'closed', reason: 'network', detail: 'nothing arrived', retryAfterMs: undefined });
  }

  #ended(session: Session, event: Extract<LiveEvent, { readonly type: 'closed' }>): void {
    this.#drop(session);
    if (this.#sessions.length === 0 || !this.#hasOpened) {
      this.terminate();
      this.#options.listener(event);
      return;
    }
    if (!session.isOpen) this.#openFailed(event.retryAfterMs ?? 0);
    this.#reject([...session.symbols], 'lost');
  }

  #drop(session: Session): void {
    this.#sessions.splice(this.#sessions.indexOf(session), 1);
    if (session === this.#leading) this.#leading = undefined;
    session.connection?.terminate();
  }

  #openFailed(retryAfterMs: number): void {
    const delayMs = Math.min(retryMaxMs, retryMinMs * 2 ** this.#openFailures++);
    this.#noneBeforeMs = this.#options.clock.monotonicMs() + Math.max(delayMs, retryAfterMs);
  }

  #reject(symbols: readonly MarketSymbol[], reason: SubscriptionRefusal): void {
    for (const symbol of symbols) if (!this.#hasEnded) this.#options.listener({ type: 'rejected', symbol, reason });
  }
}
