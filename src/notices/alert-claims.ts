import type { Randomness } from '../ground/clock.ts';
import type { AlertChange } from '../store/alerts.ts';
import { alertKey } from './alert-book.ts';

/** Shared by several processes besides the store. Every method rejects where it cannot be asked. */
export interface SharedNames {
  /** Gives a name a value for a time, unless it has one. Resolves with the value that it has then. */
  claim(name: string, value: string, forMs: number): Promise<string>;
  /** Lets names have their values for that time from now on. */
  prolong(names: readonly string[], forMs: number): Promise<void>;
  release(name: string): Promise<void>;
}

/** Longer than processes are apart in what they see, and short enough for one that ends to leave nothing behind. */
const raisedForMs = 60_000;
/** Other changes have names of their own for ever. */
const changedForMs = 86_400_000;

/** A change, and the process that tells it. */
interface Claimed {
  readonly by: string;
  readonly change: AlertChange;
}

/** Agrees, while the store does not answer, which of several processes tells a change. */
export class AlertClaims {
  readonly #names: SharedNames;
  /** The name of this process: two may write the same change. */
  readonly #self: string;

  constructor(names: SharedNames, randomness: Randomness) {
    this.#names = names;
    this.#self = Buffer.from(randomness.bytes(12)).toString('base64url');
  }

  /** Resolves with the change where this process tells it, else with the one that another process tells. */
  async take(change: AlertChange): Promise<AlertChange> {
    const { step, id, repeats } = change;
    const isRaised = step === 'raised';
    const name = isRaised ? raisedName(alertKey(change)) : `${step} ${id} ${repeats ?? ''}`;
    const own: Claimed = { by: this.#self, change };
    const held = await this.#names.claim(name, JSON.stringify(own), isRaised ? raisedForMs : changedForMs);
    if (step === 'ended') await this.#names.release(raisedName(alertKey(change)));
    const claimed = JSON.parse(held) as Claimed;
    return claimed.by === this.#self ? change : claimed.change;
  }

  /** Keeps the alerts that are on from being raised by others. @param keys see `alertKey` */
  async keep(keys: readonly string[]): Promise<void> {
    await this.#names.prolong(keys.map(raisedName), raisedForMs);
  }
}

function raisedName(key: string): string {
  return `raised ${key}`;
}
