import type { Clock, Timer } from '../src/clock.ts';
import type { FaultName } from './fault-catalogue.ts';
import type { Fault } from './fault-request.ts';

/** A fault that is on, as the control API shows it. */
export interface ActiveFault extends Fault {
  /** Milliseconds until it ends by itself; `undefined`: it lasts until it is cleared. */
  readonly endsInMs: number | undefined;
}

/** What has to be done when a fault begins or ends, beyond being looked up on the board. */
export interface FaultEffects {
  /** Throws `BadRequest` when the fault cannot be: an unknown symbol, say. Nothing is switched on then. */
  check(fault: Fault): void;
  begin(fault: Fault): void | Promise<void>;
  end(fault: Fault): void | Promise<void>;
  /** An event happens, once. */
  happen(fault: Fault): void;
}

interface Entry {
  readonly fault: Fault;
  readonly endsAtMs: number | undefined;
  readonly timers: readonly Timer[];
}

/** The faults that are on. Whoever serves the protocol looks here before each answer. */
export class FaultBoard {
  readonly #clock: Clock;
  readonly #effects: FaultEffects;
  readonly #entries = new Map<string, Entry>();
  readonly #byName = new Map<FaultName, Fault[]>();

  constructor(clock: Clock, effects: FaultEffects) {
    this.#clock = clock;
    this.#effects = effects;
  }

  /** Switches a fault on; one about the same thing gives way to it without being undone in between. Resolves when it is in force. */
  async set(fault: Fault): Promise<void> {
    this.#effects.check(fault);
    if (fault.kind === 'event') this.#effects.happen(fault);
    if (fault.kind === 'event' && fault.forMs === undefined) return;
    const key = keyOf(fault);
    this.#remove(key);
    this.#entries.set(key, this.#schedule(key, fault));
    this.#index();
    if (fault.kind === 'state') await this.#effects.begin(fault);
  }

  /** Switches off every fault of this name (and symbol), or all. Gives how many there were. */
  async clear(name?: FaultName, symbol?: string): Promise<number> {
    const chosen = [...this.#entries].filter(
      ([, { fault }]) =>
        (name === undefined || fault.fault === name) && (symbol === undefined || fault.symbols?.includes(symbol)),
    );
    for (const [key] of chosen) await this.#finish(key);
    return chosen.length;
  }

  active(): readonly ActiveFault[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#entries.values()].map(({ fault, endsAtMs }) => ({
      ...fault,
      endsInMs: endsAtMs === undefined ? undefined : Math.max(0, Math.round(endsAtMs - nowMs)),
    }));
  }

  /** The fault of this name that is on and, where it names symbols, names this one. */
  find(name: FaultName, symbol?: string): Fault | undefined {
    return this.#byName
      .get(name)
      ?.find(({ symbols }) => symbols === undefined || symbol === undefined || symbols.includes(symbol));
  }

  /** Every fault of this name that is on. */
  all(name: FaultName): readonly Fault[] {
    return this.#byName.get(name) ?? [];
  }

  /** Forgets everything without undoing it: the process or the test is over. */
  stop(): void {
    for (const { timers } of this.#entries.values()) for (const timer of timers) timer.cancel();
    this.#entries.clear();
    this.#byName.clear();
  }

  #schedule(key: string, fault: Fault): Entry {
    const timers: Timer[] = [];
    if (fault.kind === 'event') timers.push(this.#clock.every(fault.everyMs, () => this.#effects.happen(fault)));
    if (fault.forMs !== undefined) timers.push(this.#clock.after(fault.forMs, () => void this.#finish(key)));
    const endsAtMs = fault.forMs === undefined ? undefined : this.#clock.monotonicMs() + fault.forMs;
    return { fault, endsAtMs, timers };
  }

  async #finish(key: string): Promise<void> {
    const fault = this.#remove(key);
    if (fault?.kind === 'state') await this.#effects.end(fault);
  }

  #remove(key: string): Fault | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    for (const timer of entry.timers) timer.cancel();
    this.#entries.delete(key);
    this.#index();
    return entry.fault;
  }

  #index(): void {
    this.#byName.clear();
    for (const { fault } of this.#entries.values()) {
      this.#byName.set(fault.fault, [...(this.#byName.get(fault.fault) ?? []), fault]);
    }
  }
}

/** Two faults of one name stand beside each other when they are about different symbols, calls, sources or fields. */
function keyOf(fault: Fault): string {
  const about = ['call', 'source', 'field'].map((name) => fault.parameters[name]);
  return [fault.fault, ...about, ...(fault.symbols?.toSorted() ?? [])].join(' ');
}
