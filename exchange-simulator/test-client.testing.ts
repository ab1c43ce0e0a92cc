import type { TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { eventually } from '../test/support/eventually.ts';
import { FakeClock } from '../test/support/fake-clock.ts';
import { fixedPort } from '../test/support/fixed-port.ts';
import { type ExchangeSimulator, type ExchangeSimulatorOptions, startExchangeSimulator } from './simulator.ts';

/** An exchange with a fake clock for one test; it and its clients are stopped when the test ends. */
export async function startForTest(
  test: TestContext,
  options: ExchangeSimulatorOptions = {},
): Promise<{ simulator: ExchangeSimulator; clock: FakeClock; open: () => Promise<TestClient> }> {
  const clock = new FakeClock();
  const simulator = await startExchangeSimulator({ clock, updatesPerSecond: 0, port: await fixedPort(), ...options });
  const clients: TestClient[] = [];
  test.after(async () => {
    for (const client of clients) client.end();
    await simulator.stop();
  });
  const open = async () => {
    const client = await TestClient.open(simulator.wsUrl);
    clients.push(client);
    return client;
  };
  return { simulator, clock, open };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any member of an answer.
type Answer = any;

/** The `result` of a successful REST call. */
export async function result(simulator: ExchangeSimulator, call: string): Promise<Answer> {
  const response = await fetch(`${simulator.restUrl}/0/public/${call}`);
  const answer: Answer = await response.json();
  if (answer.error.length > 0) throw new Error(String(answer.error));
  return answer.result;
}

/** A bare WebSocket client for the tests: keeps every message as its source text and does nothing by itself. */
export class TestClient {
  /** Every text message so far. */
  readonly messages: string[] = [];
  /** Sizes of the binary messages so far. */
  readonly binary: number[] = [];
  readonly errors: Error[] = [];
  closeCode: number | undefined;
  pongs = 0;
  readonly #webSocket: WebSocket;

  private constructor(url: string, maxPayload: number) {
    this.#webSocket = new WebSocket(url, { maxPayload });
    this.#webSocket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.binary.push(data.length);
      else this.messages.push(String(data));
    });
    this.#webSocket.on('error', (error) => this.errors.push(error));
    this.#webSocket.on('pong', () => this.pongs++);
    this.#webSocket.on('close', (code) => {
      this.closeCode = code;
    });
  }

  /** Starts to connect without waiting for the outcome. */
  static begin(url: string, maxPayload = 100 * 1024 * 1024): TestClient {
    return new TestClient(url, maxPayload);
  }

  /** Connects and waits for the status message. */
  static async open(url: string, maxPayload?: number): Promise<TestClient> {
    const client = TestClient.begin(url, maxPayload);
    await client.message('"channel":"status"');
    return client;
  }

  send(request: unknown): void {
    this.#webSocket.send(typeof request === 'string' ? request : JSON.stringify(request));
  }

  ping(): void {
    this.#webSocket.ping();
  }

  /** Subscribes to tickers and waits for the last acknowledgement and the last snapshot. */
  async subscribe(symbols: readonly string[], trigger = 'bbo'): Promise<void> {
    this.send({ method: 'subscribe', params: { channel: 'ticker', symbol: symbols, event_trigger: trigger } });
    for (const symbol of symbols) await this.message(`"type":"snapshot","data":[{"symbol":"${symbol}"`);
  }

  /** The first message, from the `from`-th on, that contains every given text. */
  message(...parts: readonly string[]): Promise<string> {
    return eventually(`a message with ${parts.join(' and ')}`, () => this.find(...parts), 3000);
  }

  find(...parts: readonly string[]): string | undefined {
    return this.messages.find((message) => parts.every((part) => message.includes(part)));
  }

  /** Drops the messages received so far. */
  forget(): void {
    this.messages.length = 0;
  }

  /** Everything the server sent before this call has arrived once it resolves. */
  async settled(): Promise<void> {
    const requestId = 1_000_000 + this.messages.length;
    this.send({ method: 'ping', req_id: requestId });
    await this.message('"method":"pong"', `"req_id":${requestId},`);
  }

  closed(): Promise<number> {
    return eventually('the connection to close', () => this.closeCode, 3000);
  }

  end(): void {
    this.#webSocket.terminate();
  }
}
