import type { Clock, Timer } from '../src/ground/clock.ts';
import type { FaultName } from './fault-catalogue.ts';
import { type Fault, flagOf, textOf } from './fault-request.ts';
import type { TickerField, TickerValues, WireTicker } from './ticker.ts';

/** An active fault, as the control API shows it. */
export interface ActiveFault extends Fault {
  /** Milliseconds until it expires; `undefined`: it lasts until it is cleared. */
  readonly endsInMs: number | undefined;
}

/** The actions of faults that the protocol servers cannot just look up on the board. */
export interface FaultEffects {
  /** Throws `BadRequest` when the fault is impossible, for example for an unknown symbol. It is not activated then. */
  check(fault: Fault): void;
  begin(fault: Fault): void | Promise<void>;
  end(fault: Fault): void | Promise<void>;
  /** Runs an event once. */
  trigger(fault: Fault): void;
}

interface Entry {
  readonly fault: Fault;
  readonly endsAtMs: number | undefined;
  readonly timers: readonly Timer[];
}

const none: readonly Fault[] = [];

/** The active faults. The protocol servers check them before each answer. */
export class FaultBoard {
  readonly #clock: Clock;
  readonly #effects: FaultEffects;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock, effects: FaultEffects) {
    this.#clock = clock;
    this.#effects = effects;
  }

  /** Activates a fault, replacing one with the same key without ending that first. Resolves when it is in force. */
  async set(fault: Fault): Promise<void> {
    this.#effects.check(fault);
    if (fault.kind === 'event') this.#effects.trigger(fault);
    if (fault.kind === 'event' && fault.forMs === undefined) return;
    const key = keyOf(fault);
    this.#remove(key);
    this.#entries.set(key, this.#schedule(key, fault));
    if (fault.kind === 'state') await this.#effects.begin(fault);
  }

  /** Clears every fault of this name (and symbol), or all. Returns how many. */
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

  /** The active fault of this name; where it names symbols, one that names this symbol. */
  find(name: FaultName, symbol?: string): Fault | undefined {
    return this.all(name).find(
      ({ symbols }) => symbols === undefined || symbol === undefined || symbols.includes(symbol),
    );
  }

  /** Every active fault of this name. */
  all(name: FaultName): readonly Fault[] {
    if (this.#entries.size === 0) return none;
    return [...this.#entries.values()].flatMap(({ fault }) => (fault.fault === name ? fault : []));
  }

  /** Drops all faults without ending them: the simulator stops. */
  stop(): void {
    for (const { timers } of this.#entries.values()) for (const timer of timers) timer.cancel();
    this.#entries.clear();
  }

  #schedule(key: string, fault: Fault): Entry {
    const timers: Timer[] = [];
    if (fault.kind === 'event') timers.push(this.#clock.every(fault.everyMs, () => this.#effects.trigger(fault)));
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
    return entry.fault;
  }
}

/** Faults of one name are independent when their symbols, calls, sources or fields differ. */
function keyOf(fault: Fault): string {
  const about = ['call', 'source', 'field'].map((name) => fault.parameters[name]);
  return [fault.fault, ...about, ...(fault.symbols?.toSorted() ?? [])].join(' ');
}

/** The values of a market with the faults `crossed` and `bad-value` applied, as sent over this path. */
export function corrupted(faults: FaultBoard, symbol: string, path: 'ws' | 'rest', values: TickerValues): WireTicker {
  const crossed = faults.find('crossed', symbol);
  let result: WireTicker = values;
  if (crossed !== undefined && reaches(textOf(crossed, 'over'), path)) {
    result = { ...result, bid: values.ask, ask: values.bid };
  }
  for (const bad of faults.all('bad-value')) {
    if (!bad.symbols?.includes(symbol) || !reaches(textOf(bad, 'over'), path)) continue;
    const field = textOf(bad, 'field') as TickerField;
    result = { ...result, [field]: flagOf(bad, 'missing') ? undefined : textOf(bad, 'value') };
  }
  return result;
}

function reaches(over: string | undefined, path: 'ws' | 'rest'): boolean {
  return over === 'both' || over === path;
}
