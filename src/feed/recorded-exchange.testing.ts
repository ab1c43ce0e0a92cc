import { nestedArrays } from '../../exchange-simulator/json-text.ts';
import type { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs, Timer } from '../ground/clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import {
  bannedWords,
  type ExchangeFault,
  type ExchangeUnderTest,
  type ExpectedDigits,
  type ExpectedMarket,
  type Garbage,
} from './exchange-under-test.testing.ts';
import { answering, isSameRequest, movedTo, nameIn, withUnknownNames } from './recorded-texts.testing.ts';
import type { RecordedAnswer, RecordedFrame, Recording } from './recordings.testing.ts';
import { type Peer, type RestAnswer, ScriptedExchange } from './scripted-exchange.testing.ts';
import type { AcknowledgementStyle } from './subscriptions.ts';

/** A market of a recording, with the digits that its texts have. */
export interface RecordedMarket extends ExpectedMarket {
  /** Its name on the WebSocket. */
  readonly name: string;
  /** The values of one of the tickers that its frames make. */
  readonly live: ExpectedDigits['live'];
  /** The values of the recorded answer over REST. */
  readonly polled: ExpectedDigits['fallback'];
}

/** How the frames of a recording are to be read. */
export interface RecordedProtocol {
  readonly recording: Recording;
  readonly markets: readonly RecordedMarket[];
  readonly acknowledges: AcknowledgementStyle;
  /** Matches the frames that acknowledge a subscription; left out where there are none. */
  readonly acknowledgement?: RegExp;
  /** The frame that refuses a subscription to the market of this name; left out where there is none. */
  readonly refusal?: (name: string) => string;
}

/** Between two frames of one market. */
const frameEveryMs = 100;
/** Frames of a market that are sent again and again. */
const framesMax = 25;
const garbage: Readonly<Record<Exclude<Garbage, 'symbol'>, string | Buffer>> = {
  json: '{"type":"ticker","data":[{"bid":',
  binary: Buffer.from([0x00, 0x9f, 0x92, 0x96, 0xff]),
  utf8: Buffer.from([...Buffer.from('{"type":"'), 0xc3, 0x28, ...Buffer.from('"}')]),
  nested: nestedArrays,
  channel: '{"type":"of_tomorrow","event":"of_tomorrow","channel":"of_tomorrow","stream":"of_tomorrow","data":[]}',
};

/**
 * An exchange that knows no more than a recording. A request on the WebSocket is about the markets whose names it has.
 * A subscription gets the recorded acknowledgements of its markets; then their other frames follow one by one, from the
 * first again after the last, each with its times moved to now. Any other recorded message gets what followed it.
 * REST answers as recorded.
 */
export class RecordedExchange implements ExchangeUnderTest {
  readonly markets: readonly ExpectedMarket[];
  /** Changes every text of JSON before it is sent. */
  alter: (text: string) => string = (text) => text;
  readonly #protocol: RecordedProtocol;
  readonly #clock: FakeClock;
  readonly #exchange = new ScriptedExchange();
  readonly #basePath: string;
  readonly #received: readonly RecordedFrame[];
  /** The next frame of each market. */
  readonly #positions = new WeakMap<Peer, Map<string, number>>();
  readonly #prices: ReadonlyMap<string, readonly RecordedFrame[]>;
  readonly #timer: Timer;
  readonly #silent = new Set<string>();
  readonly #refused = new Set<string>();
  #isFrozen = false;
  #tooMany: RestAnswer | undefined;

  /** `basePath`: where the exchange's REST begins, such as `/v2`. */
  constructor(clock: FakeClock, protocol: RecordedProtocol, basePath: string) {
    this.#clock = clock;
    this.#basePath = basePath.replace(/\/$/, '');
    this.#protocol = protocol;
    this.markets = protocol.markets.map(({ name: _, live: __, polled: ___, ...market }) => market);
    this.#received = protocol.recording.frames.filter(({ direction }) => direction === 'received');
    if (protocol.acknowledges !== 'none' && !this.#received.some((frame) => this.#isAcknowledgement(frame)))
      throw new Error('no received frame of the recording matches `acknowledgement`');
    this.#prices = new Map(this.#names.map((name) => [name, this.#pricesOf(name)]));
    this.#exchange.restPath = '';
    this.#exchange.rest = (call, parameters) => this.#tooMany ?? this.#answer(call, parameters);
    this.#exchange.upgrade = () => (this.#isFrozen ? 'hang' : 'accept');
    this.#exchange.greet = (peer) => this.#greet(peer);
    this.#exchange.receive = (peer, text) => this.#receive(peer, text);
    this.#timer = clock.every(frameEveryMs, () => this.#sendPrices());
  }

  listen(): Promise<void> {
    return this.#exchange.listen();
  }

  get restUrl(): string {
    return `${this.#exchange.restUrl}${this.#basePath}`;
  }

  get liveUrl(): string {
    return this.#exchange.liveUrl;
  }

  get subscriptions(): number {
    return this.#open.reduce((sum, { subscribed }) => sum + subscribed.size, 0);
  }

  get requestsTotal(): number {
    return this.#exchange.requests.length;
  }

  get connectsTotal(): number {
    return this.#exchange.upgrades;
  }

  price(symbol: MarketSymbol): ExpectedDigits {
    const market = this.#protocol.markets.find((one) => one.symbol === symbol);
    if (market === undefined) throw new Error(`${symbol} is not in the recording`);
    for (const peer of this.#open) this.#positions.get(peer)?.set(market.name, 0);
    return { live: market.live, fallback: market.polled };
  }

  async set(fault: ExchangeFault): Promise<void> {
    if (fault.fault === 'mute') for (const name of this.#names) this.#silent.add(name);
    else if (fault.fault === 'mute-symbol') this.#silent.add(this.#nameOf(fault.symbol));
    else if (fault.fault === 'reject') this.#refused.add(this.#nameOf(fault.symbol));
    else if (fault.fault === 'freeze') this.#freeze(true);
    else if (fault.fault === 'rest-429') this.#tooMany = tooMany(fault);
    else if (fault.fault === 'ban') this.#tooMany = banned(fault);
    else for (const peer of this.#open) this.#strike(peer, fault);
  }

  async clear(): Promise<void> {
    this.#silent.clear();
    this.#refused.clear();
    this.#freeze(false);
    this.#tooMany = undefined;
  }

  burst(): void {
    for (let count = 0; count < framesMax; count++) this.#sendPrices();
  }

  async stop(): Promise<void> {
    this.#timer.cancel();
    await this.#exchange.close();
  }

  get #names(): readonly string[] {
    return this.#protocol.markets.map(({ name }) => name);
  }

  get #open(): readonly Peer[] {
    return this.#exchange.peers.filter(({ socket }) => socket.readyState === socket.OPEN);
  }

  #nameOf(symbol: MarketSymbol): string {
    return this.#protocol.markets.find((market) => market.symbol === symbol)!.name;
  }

  #named(text: string): readonly string[] {
    return this.#names.filter((name) => nameIn(name).test(text));
  }

  #isAcknowledgement({ text }: RecordedFrame): boolean {
    return this.#protocol.acknowledgement?.test(text) ?? false;
  }

  #pricesOf(name: string): readonly RecordedFrame[] {
    const own = this.#received.filter((frame) => !this.#isAcknowledgement(frame) && nameIn(name).test(frame.text));
    if (own.length === 0) throw new Error(`the recording has no frame of ${name}`);
    return own.slice(0, framesMax);
  }

  /** Sends a frame; of the markets in it only those that are subscribed. */
  #send(peer: Peer, { at, text }: RecordedFrame): void {
    if (this.#isFrozen) return;
    const others = this.#names.filter((name) => !peer.subscribed.has(name));
    peer.send(this.alter(movedTo(this.#clock.now(), at, withUnknownNames(text, others))));
  }

  #sendPrices(): void {
    for (const peer of this.#open) {
      for (const name of peer.subscribed) {
        if (this.#silent.has(name)) continue;
        const frames = this.#prices.get(name)!;
        const positions = this.#positions.get(peer)!;
        const position = positions.get(name) ?? 0;
        this.#send(peer, frames[position]!);
        positions.set(name, (position + 1) % frames.length);
      }
    }
  }

  /** Sends the frames that came before anything was asked. */
  #greet(peer: Peer): void {
    this.#positions.set(peer, new Map());
    const { frames } = this.#protocol.recording;
    const first = frames.findIndex(({ direction }) => direction === 'sent');
    for (const frame of frames.slice(0, Math.max(0, first))) this.#send(peer, frame);
  }

  #receive(peer: Peer, text: string): void {
    if (this.#isFrozen) return;
    const names = this.#named(text);
    if (names.length === 0) this.#repeatAnswer(peer, text);
    else if (/unsub/i.test(text)) for (const name of names) peer.subscribed.delete(name);
    else this.#subscribe(peer, text, names);
  }

  #subscribe(peer: Peer, text: string, names: readonly string[]): void {
    const { acknowledges, refusal } = this.#protocol;
    const refused = names.filter((name) => this.#refused.has(name));
    for (const name of refusal === undefined ? [] : refused) peer.send(answering(text, refusal!(name)));
    const isWhole = acknowledges === 'set' && refused.length > 0;
    const accepted = isWhole ? [] : names.filter((name) => !refused.includes(name));
    for (const name of accepted) {
      peer.subscribed.add(name);
      this.#positions.get(peer)!.set(name, 0);
    }
    if (accepted.length === 0) return;
    for (const frame of this.#received) {
      if (!this.#isAcknowledgement(frame)) continue;
      const concerned = this.#named(frame.text);
      const isOurs = concerned.length === 0 || concerned.some((name) => accepted.includes(name));
      if (isOurs) this.#send(peer, { ...frame, text: answering(text, frame.text) });
    }
  }

  /** Sends what followed the same message in the recording, such as a ping, up to the next one or a market's frame. */
  #repeatAnswer(peer: Peer, text: string): void {
    const { frames } = this.#protocol.recording;
    const sent = frames.findIndex((frame) => frame.direction === 'sent' && isSameRequest(frame.text, text));
    if (sent === -1) return;
    for (const frame of frames.slice(sent + 1)) {
      if (frame.direction === 'sent' || this.#named(frame.text).length > 0) return;
      this.#send(peer, { ...frame, text: answering(text, frame.text) });
    }
  }

  #answer(path: string, parameters: URLSearchParams): RestAnswer | undefined {
    const found = this.#protocol.recording.answers.find((answer) => isAnswerTo(answer, path, parameters));
    return found && { body: this.alter(movedTo(this.#clock.now(), found.at, found.body)) };
  }

  #freeze(isFrozen: boolean): void {
    this.#isFrozen = isFrozen;
    for (const { raw } of this.#open) {
      if (isFrozen) raw.pause();
      else raw.resume();
    }
  }

  /** A fault that happens once. A recording has no heartbeats to leave out. */
  #strike(peer: Peer, fault: ExchangeFault): void {
    if (fault.fault === 'reset') peer.raw.resetAndDestroy();
    else if (fault.fault === 'close') peer.socket.close(fault.code);
    else if (fault.fault === 'oversized') peer.send(`{}${' '.repeat(fault.bytes - 2)}`);
    else if (fault.fault === 'garbage') {
      const { kind } = fault;
      if (kind === 'symbol') peer.send(withUnknownNames(this.#prices.get(this.#names[0]!)![0]!.text, this.#names));
      else peer.socket.send(garbage[kind], { binary: kind === 'binary' });
    }
  }
}

/** An answer is that to a path with all the parameters that were recorded with it. */
function isAnswerTo({ request }: RecordedAnswer, path: string, parameters: URLSearchParams): boolean {
  const recorded = new URL(request, 'http://exchange.invalid');
  const isSame = ([name, value]: [string, string]) => parameters.get(name) === value;
  return recorded.pathname === path && [...recorded.searchParams].every(isSame);
}

function tooMany({ retryAfterS, noRetryAfter }: { retryAfterS: number; noRetryAfter: boolean }): RestAnswer {
  return { status: 429, headers: noRetryAfter ? {} : { 'retry-after': String(retryAfterS) }, body: '{}' };
}

/** The shape of its own errors is in no recording. */
function banned({ status, until }: { readonly status: number | 'own'; readonly until: EpochMs }): RestAnswer {
  return { status: status === 'own' ? 403 : status, body: JSON.stringify({ message: bannedWords(until) }) };
}
