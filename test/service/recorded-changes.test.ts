import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { runInside } from '../../src/cli/cli.testing.ts';
import { market, ticker } from '../../src/feed/push/engine.testing.ts';
import { newRecord, recordTest } from '../../src/history/record/record.testing.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const sources = '[{"id":"engine","kind":"push"}]';

/** An engine with BTCEUR, which comes back whenever it is cut off. */
class Engine {
  bid = 109;
  readonly #harness: ServiceHarness;
  readonly #token: string;
  readonly #url: string;
  #seq = 0;
  #epoch = 0;
  #socket: WebSocket | undefined;

  constructor(t: TestContext, harness: ServiceHarness, token: string) {
    this.#harness = harness;
    this.#token = token;
    this.#url = `${harness.service.adminUrl.replace('http', 'ws')}/ingest/v1`;
    const beat = setInterval(() => this.#beat(), 200);
    t.after(() => clearInterval(beat));
    t.after(() => this.#socket?.terminate());
  }

  #beat(): void {
    if (this.#socket === undefined) this.#connect();
    else if (this.#socket.readyState === WebSocket.OPEN) {
      this.#send({ type: 'heartbeat', lastSeq: this.#seq });
      this.#send(this.#ticker());
    }
  }

  #connect(): void {
    const socket = new WebSocket(this.#url, { headers: { Authorization: `Bearer ${this.#token}` } });
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('open', () => this.#send({ type: 'hello', protocol: 1, epoch: ++this.#epoch }));
    socket.on('message', (data) => {
      if (!String(data).includes('"resync"')) return;
      this.#send({ type: 'catalogue', markets: [market('BTC')] });
      this.#send({ type: 'snapshot', phase: 'begin' });
      this.#send(this.#ticker());
      this.#send({ type: 'snapshot', phase: 'end' });
    });
    socket.on('close', () => {
      this.#socket = undefined;
    });
  }

  #ticker() {
    const prices = { bid: `${this.bid}.0`, ask: `${this.bid + 2}.0`, high24h: '200', low24h: '50' };
    return ticker(++this.#seq, 'BTCEUR', this.#harness.clock.now(), prices);
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }
}

recordTest(
  'percent changes of an engine without candles appear once the record is an hour long, in both markets and in `mdapi price`',
  async (t) => {
    const { location } = await newRecord(t);
    const url = location.kind === 'sqlite' ? `sqlite:${location.path}` : location.url;
    const journal = location.kind === 'sqlite' ? 'unused' : location.journalPath;
    const settings = { sources, 'markets.symbols': 'all', 'history.url': url, 'history.journal': journal };
    const harness = await ServiceHarness.start(t, { settings, untilLive: false });
    const { adminUrl } = harness.service;
    const env = {
      MDAPI_SOURCES: sources,
      MDAPI_HISTORY_URL: url,
      MDAPI_HISTORY_JOURNAL: journal,
      MDAPI_ADMIN_PORT: new URL(adminUrl).port,
    };
    const mdapi = (...argv: readonly string[]) =>
      runInside(argv, { cwd: harness.directory, env, clock: harness.clock });
    const { token } = JSON.parse((await mdapi('sources', 'token', 'engine', '--json')).stdout) as { token: string };
    // Early in a minute, so that the start of the next is near.
    harness.clock.shift(65_000 - (harness.clock.now() % 60_000));
    const engine = new Engine(t, harness, token);
    await eventually('a price', async () => (await harness.api.outcome('/v1/tickers')) === '200');
    await eventually('the price', async () => (await harness.api.tickers()).get('BTCEUR')?.buyPrice === '111.6');
    assert.equal((await harness.api.tickers()).get('BTCEUR')?.priceChangePercent1h, undefined);
    const before = harness.clock.now();
    engine.bid = 131;
    harness.clock.shift(3_660_000);
    const change = async (symbol: string) => (await harness.api.tickers()).get(symbol)?.priceChangePercent1h;
    await eventually('the change', async () => (await change('BTCEUR')) === '20.00');
    assert.equal(await change('BTCCZK'), '20.00');
    const at = new Date(Math.ceil(before / 60_000) * 60_000).toISOString();
    const derivation = `20.00 % from 110 at ${at} (record)`;
    const now = await mdapi('price', 'BTCCZK');
    assert.ok(now.stdout.includes(derivation), now.stdout + now.stderr);
    const then = new Date(harness.clock.now()).toISOString();
    await eventually('it is recorded', async () =>
      (await mdapi('price', 'BTCCZK', '--at', then)).stdout.includes(derivation),
    );
  },
);
