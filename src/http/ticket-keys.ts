import { createPrivateKey, hkdfSync } from 'node:crypto';
import type { Clock, EpochMs, Randomness, Timer } from '../clock.ts';
import type { Log } from '../log.ts';

/** Texts that processes share and a restart finds again. */
interface SharedTexts {
  load(name: string): Promise<{ readonly payload: string; readonly savedAt: EpochMs } | undefined>;
  /** Does nothing when another text was saved since `seen`; `undefined`: there was none. */
  replace(name: string, payload: string, seen: EpochMs | undefined): Promise<void>;
}

export interface TicketKeysParts {
  readonly shared: SharedTexts;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

const name = 'tls tickets';
const everyMs = 60_000;
const keptForMs = 12 * 3_600_000;

/**
 * Keys that encrypt TLS session tickets, the same in every process with the same private key, so that a client resumes its session
 * with any of them and after a restart (docs/decisions/0032). They are made from that key and a shared secret, which
 * whoever first finds it 12 hours old replaces: the tickets before become useless.
 */
export class TicketKeys {
  readonly #parts: TicketKeysParts;
  readonly #changed: () => void;
  #secret: string | undefined;
  #hasTrouble = false;
  #timer: Timer | undefined;

  /** @param changed what `for` gives is another from now on */
  constructor(parts: TicketKeysParts, changed: () => void) {
    this.#parts = parts;
    this.#changed = changed;
  }

  /** Resolves after the first look. A store that does not answer is asked again: tickets hold within the process until then. */
  async start(): Promise<void> {
    this.#timer = this.#parts.clock.every(everyMs, () => void this.#look());
    await this.#look();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** As `node:tls` takes them: 48 bytes. `undefined` leaves it to choose its own. @param privateKey in PEM form */
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
    await shared.replace(name, Buffer.from(randomness.bytes(32)).toString('base64'), found?.savedAt);
    return (await shared.load(name))?.payload;
  }
}
