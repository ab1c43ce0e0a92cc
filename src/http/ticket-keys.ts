import { createPrivateKey, hkdfSync } from 'node:crypto';
import { asEpochMs, type Clock, type EpochMs, type Randomness, type Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';

export interface TicketKeysParts {
  /** Texts that processes share and a restart finds again. */
  readonly shared: {
    load(name: string): Promise<{ readonly payload: string; readonly savedAt: EpochMs } | undefined>;
    /** Does nothing when another text was saved since `seen`; 0: there was none. */
    save(name: string, payload: string, seen: EpochMs): Promise<void>;
  };
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

const name = 'tls tickets';
const everyMs = 60_000;
const keptForMs = 12 * 3_600_000;

/**
 * Keys that encrypt TLS session tickets, the same in every process with the same private key (docs/decisions/0032), so
 * that a client resumes its session with any of them and after a restart. They are made from that key and a shared
 * secret, which whoever first finds it 12 hours old replaces: the tickets before become useless.
 */
export class TicketKeys {
  readonly #parts: TicketKeysParts;
  readonly #changed: () => void;
  #secret: string | undefined;
  #hasTrouble = false;
  #timer: Timer | undefined;

  /** @param changed `for` gives another key from now on */
  constructor(parts: TicketKeysParts, changed: () => void) {
    this.#parts = parts;
    this.#changed = changed;
  }

  /** Resolves after the first look. A store that does not answer is asked again each minute. */
  async start(): Promise<void> {
    this.#timer = this.#parts.clock.every(everyMs, () => void this.#look());
    await this.#look();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /**
   * Gives the keys as `node:tls` takes them: 48 bytes. `undefined` leaves it to choose its own.
   *
   * @param privateKey in PEM form
   */
  for(privateKey: string): Buffer | undefined {
    if (this.#secret === undefined) return undefined;
    // The same key can be written in several ways.
    const key = createPrivateKey(privateKey).export({ type: 'pkcs8', format: 'der' });
    return Buffer.from(hkdfSync('sha256', key, Buffer.from(this.#secret, 'base64'), name, 48));
  }

  async #look(): Promise<void> {
    try {
      const secret = await this.#sharedSecret();
      this.#hasTrouble = false;
      if (secret === this.#secret) return;
      this.#secret = secret;
      this.#changed();
    } catch (error) {
      if (!this.#hasTrouble) this.#parts.log.warn({ err: error }, 'the keys of TLS session tickets cannot be renewed');
      this.#hasTrouble = true;
    }
  }

  async #sharedSecret(): Promise<string | undefined> {
    const { shared, clock, randomness } = this.#parts;
    const found = await shared.load(name);
    // Also one from the future, which a clock that was wrong has left.
    if (found !== undefined && Math.abs(clock.now() - found.savedAt) < keptForMs) return found.payload;
    const made = Buffer.from(randomness.bytes(32)).toString('base64');
    await shared.save(name, made, found?.savedAt ?? asEpochMs(0));
    return (await shared.load(name))?.payload;
  }
}
