import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Randomness, sleep, systemClock } from '../../src/ground/clock.ts';
import type { ResponseValidator } from '../contract/response-validator.ts';
import { observationOf } from '../support/history.ts';
import { type Answer, Asker } from './asker.ts';
import type { SoakRecord } from './record.ts';

export interface ClientSettings {
  readonly name: string;
  readonly kind: ClientKind;
  readonly baseUrl: string;
  readonly key: string;
  /** Between two requests, on average. */
  readonly pauseMs: number;
  readonly validate: ResponseValidator;
  readonly record: SoakRecord;
  readonly randomness: Randomness;
  readonly signal: AbortSignal;
}

/** What there is, in the order in which clients are made; the list starts over when there are more. */
export const clientKinds = [
  'tickers',
  'ticker',
  'status',
  'tickers',
  'limited',
  'reconnecting',
  'ticker',
  'time',
  'wrong key',
  'tickers',
  'markets',
  'ticker',
  'no key',
  'slow reader',
] as const;

export type ClientKind = (typeof clientKinds)[number];

const codings = ['identity', 'gzip', 'br', 'zstd'] as const;
const symbols = ['BTCEUR', 'BTCCZK', 'ethEUR', 'ADACZK', 'XRPEUR'] as const;
/** Of the many large answers, this part is held against the whole document; of the others, every one. */
const checkedShare = 0.1;

/** Runs one client until the signal; what it sees goes into the record. */
export async function runClient(settings: ClientSettings): Promise<void> {
  if (settings.kind === 'slow reader') return readSlowly(settings);
  const client = new Client(settings);
  const { signal, randomness, pauseMs } = settings;
  await sleep(systemClock, randomness.fraction() * pauseMs, signal);
  while (!signal.aborted) {
    await client.ask();
    await sleep(systemClock, (0.5 + randomness.fraction()) * pauseMs, signal);
  }
  client.close();
}

class Client {
  readonly #settings: ClientSettings;
  readonly #asker: Asker;
  readonly #entityTags = new Map<string, string>();

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.#asker = new Asker(settings.baseUrl, settings.kind !== 'reconnecting');
  }

  async ask(): Promise<void> {
    const { record, kind, signal } = this.#settings;
    const target = this.#target();
    const coding = this.#one(codings);
    const entityTag = this.#entityTags.get(`${target} ${coding}`);
    const headers: Record<string, string> = { 'Accept-Encoding': coding };
    if (kind !== 'no key') headers['X-EXCHANGE-APIKEY'] = this.#settings.key;
    if (entityTag !== undefined) headers['If-None-Match'] = entityTag;
    const sentAtMs = Date.now();
    let answer: Answer;
    try {
      answer = await this.#asker.get(target, headers);
    } catch (error) {
      if (signal.aborted) return;
      record.lostAnswer(`${kind}: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
      record.history.noteUnanswered(this.#key, sentAtMs, Date.now());
      return;
    }
    this.#judge(target, coding, entityTag, sentAtMs, answer);
  }

  close(): void {
    this.#asker.close();
  }

  #target(): string {
    switch (this.#settings.kind) {
      case 'tickers':
        return '/v1/tickers';
      case 'ticker':
        return `/v1/ticker?symbol=${this.#one(symbols)}`;
      case 'status':
      case 'time':
      case 'markets':
        return `/v1/${this.#settings.kind}`;
      case 'no key':
        return this.#one(['/', '/openapi/v1.json']);
      default:
        return this.#one([
          '/v1/status',
          '/v1/time',
          '/v1/ticker?symbol=BTCEUR',
          '/v1/ticker?symbol=NOPE',
          '/v1/nothing',
        ]);
    }
  }

  /** What names the client's key in the history: clients without one are counted together. */
  get #key(): string {
    return this.#settings.kind === 'no key' ? 'no key' : this.#settings.name;
  }

  #judge(target: string, coding: string, entityTag: string | undefined, sentAtMs: number, answer: Answer): void {
    const { record, validate, randomness, name } = this.#settings;
    const { status, headers, body, tookMs, atMs } = answer;
    const isLarge = status === 200 && (target === '/v1/tickers' || target === '/openapi/v1.json');
    if (!isLarge || randomness.fraction() < checkedShare) {
      try {
        validate({ method: 'GET', path: target, status, headers, body });
      } catch (error) {
        record.undocumented.push((error as Error).message);
      }
    }
    if (status === 200 && headers.etag !== undefined) this.#entityTags.set(`${target} ${coding}`, headers.etag);
    if (status === 304 && headers.etag !== entityTag) record.fault(`${name}: 304 for another entity tag`);
    const asked = { client: name, key: this.#key, path: target.split('?', 1)[0]!, sentAtMs, answeredAtMs: atMs };
    const observation = observationOf(asked, { status, headers, body: decoded(answer) });
    record.history.observe(observation);
    record.answered(observation.code === undefined ? String(status) : `${status} ${observation.code}`, tookMs);
  }

  #one<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#settings.randomness.fraction() * choices.length)]!;
  }
}

function decoded({ headers, body }: Answer): Buffer {
  const coding = headers['content-encoding'];
  const decompress = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }[coding ?? ''];
  return decompress === undefined || body.length === 0 ? body : decompress(body);
}

/** Asks for far more than it reads, until it is cut; then again. */
async function readSlowly({ baseUrl, key, record, signal, randomness }: ClientSettings): Promise<void> {
  const { host, port } = new URL(baseUrl);
  const request = `GET /v1/tickers HTTP/1.1\r\nHost: ${host}\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`;
  while (!signal.aborted) {
    const socket = connect({ host: '127.0.0.1', port: Number(port) });
    socket.on('error', () => {});
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.pause();
    socket.write(request.repeat(300), 'latin1');
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop);
    // Nothing is read, so its end shows only once something is written.
    const poke = systemClock.every(1_000, () => socket.write('G'));
    await closed;
    poke.cancel();
    signal.removeEventListener('abort', stop);
    if (!signal.aborted) record.cuts.count++;
    await sleep(systemClock, 5_000 + randomness.fraction() * 5_000, signal);
  }
}
