import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { sleep } from '../../ground/clock.ts';
import { silentLog } from '../../ground/log.ts';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import type { LiveEvent } from '../connector.ts';
import { PushConnector } from './connector.ts';
import { market, ticker } from './engine.testing.ts';
import type { ServiceMessage } from './messages.ts';
import { type EngineStream, type StreamEntry, type StreamPosition, StreamReader } from './stream-reader.ts';

/** The server: what an engine wrote, what it was answered, and what was kept. */
class FakeServer {
  readonly clock = new FakeClock();
  readonly entries: StreamEntry[] = [];
  answers: string[] = [];
  kept: StreamPosition | undefined;
  isAway = false;
  #number = 0;

  write(epoch: number, ...messages: object[]): void {
    for (const message of messages) {
      this.entries.push({ id: `${this.clock.now()}-${++this.#number}`, epoch, message: JSON.stringify(message) });
    }
  }

  take(): string[] {
    return this.answers.splice(0);
  }

  stream(): EngineStream {
    const ask = async <T>(answer: () => T): Promise<T> => {
      if (this.isAway) throw new Error('not connected');
      return answer();
    };
    const after = (id: string) => this.entries.slice(this.entries.findIndex((entry) => entry.id === id) + 1);
    const stopped = new AbortController();
    const keep = (position: Partial<StreamPosition>) => {
      this.kept = { id: '', epoch: 0, catalogue: '', ...this.kept, ...position };
    };
    return {
      start: () => {},
      stop: () => stopped.abort(),
      read: async (id) => {
        if (after(id).length === 0) await sleep(this.clock, 100, stopped.signal);
        return ask(() => after(id));
      },
      has: (id) => ask(() => this.entries.some((entry) => entry.id === id)),
      lastId: () => ask(() => this.entries.at(-1)?.id),
      now: () => ask(() => this.clock.now()),
      answer: (epoch, message) => ask(() => void this.answers.push(`${epoch} ${textOf(message)}`)),
      position: () => ask(() => this.kept),
      keep: (position) => ask(() => keep(position)),
    };
  }
}

function textOf(message: ServiceMessage): string {
  if (message.type === 'ack') return `ack ${message.seq}`;
  return message.type === 'resync' ? `resync ${message.reason}` : message.code;
}

/** A process that reads, with the market that it feeds. */
function started(t: TestContext, server: FakeServer) {
  const { clock } = server;
  const connector = new PushConnector({
    id: 'engine',
    urls: { rest: '', ws: '' },
    quotes: ['EUR' as CurrencyCode],
    symbols: 'all',
    clock,
    requestTimeoutMs: 1_000,
    frameBytesMax: 1_000_000,
  });
  const bids: string[] = [];
  const events: string[] = [];
  const taken = (event: LiveEvent) => {
    if (event.type === 'ticker') bids.push(...event.tickers.map(({ bid }) => bid as string));
    else if (event.type !== 'frame') events.push(event.type);
  };
  const reader = new StreamReader({ connector, stream: server.stream(), clock, log: silentLog });
  reader.start();
  t.after(() => reader.stop());
  const listen = () => connector.openLive(taken).subscribe(['BTCEUR' as MarketSymbol]);
  return { reader, bids, events, listen };
}

const hello = (epoch = 1) => ({ type: 'hello', protocol: 1, epoch });
const begin = { type: 'snapshot', phase: 'begin' };
const end = { type: 'snapshot', phase: 'end' };
const catalogue = { type: 'catalogue', markets: [market('BTC')] };

/** An engine whose snapshot, up to sequence number 1, was taken. */
async function synced(t: TestContext) {
  const server = new FakeServer();
  const price = (seq: number, bid: string) => ticker(seq, 'BTCEUR', server.clock.now(), { bid, ask: bid });
  server.write(1, hello(), catalogue);
  const node = started(t, server);
  await server.clock.advance(100);
  node.listen();
  server.write(1, begin, price(1, '1'), end);
  await server.clock.advance(300);
  assert.deepEqual(node.bids.splice(0), ['1']);
  assert.deepEqual(server.take(), ['1 resync connected', '1 ack 1']);
  return { ...node, server, price };
}

test('an engine that writes to a stream is answered as over a connection', async (t) => {
  const { server, price, bids } = await synced(t);
  server.write(1, price(2, '2'), price(4, '4'), { type: 'trade' });
  await server.clock.advance(400);
  assert.deepEqual(server.take(), ['1 resync gap', '1 MALFORMED', '1 ack 2']);
  server.write(1, begin, price(9, '9'), end);
  await server.clock.advance(100);
  assert.deepEqual(bids, ['2', '9']);
});

test('three seconds without an entry end the session, and what comes then is asked for hello', async (t) => {
  const { server, price, bids, events } = await synced(t);
  await server.clock.advance(3_500);
  assert.deepEqual([server.take(), events.at(-1)], [['1 SILENT'], 'closed']);
  server.write(1, price(2, '2'), price(3, '3'));
  await server.clock.advance(200);
  assert.deepEqual([server.take(), bids], [['1 OUT_OF_TURN'], []]);
});

test('a later run of the engine fences the earlier one, whose entries count for nothing', async (t) => {
  const { server, price, bids } = await synced(t);
  server.write(2, hello(2), catalogue, begin, price(1, '21'), end);
  server.write(1, price(2, '2'), hello());
  server.write(2, price(2, '22'));
  await server.clock.advance(400);
  assert.deepEqual(server.take(), ['1 FENCED', '2 resync connected', '1 FENCED', '2 ack 2']);
  assert.deepEqual(bids, ['21', '22']);
});

test('the same run can say hello again, and is not fenced by itself', async (t) => {
  const { server, price, bids } = await synced(t);
  server.write(1, hello(), catalogue, begin, price(7, '7'), end);
  await server.clock.advance(100);
  assert.deepEqual([server.take(), bids], [['1 resync connected'], ['7']]);
});

test('an entry without its epoch, or with one that is not of its hello, is refused', async (t) => {
  const { server, price, bids } = await synced(t);
  server.write(Number.NaN, price(2, '2'));
  server.write(2, hello(3));
  await server.clock.advance(100);
  assert.deepEqual([server.take(), bids], [['0 MALFORMED', '0 MALFORMED'], []]);
});

test('after a restart reading goes on where it stopped, and no price from before counts', async (t) => {
  const { server, price, reader } = await synced(t);
  await server.clock.advance(1_000);
  assert.deepEqual(
    [server.kept?.epoch, server.kept?.id],
    [1, server.entries.at(-1)?.id],
    'a crash loses a second of it',
  );
  await reader.stop();
  server.take();
  server.write(1, begin, price(2, '2'), end);
  await server.clock.advance(60_000);
  const next = started(t, server);
  await server.clock.advance(100);
  next.listen();
  assert.deepEqual(server.take(), ['1 resync connected'], 'its hello and its catalogue are known');
  server.write(1, price(3, '3'), begin, price(4, '4'), end, price(5, '5'));
  await server.clock.advance(400);
  assert.deepEqual([next.bids, server.take()], [['4', '5'], ['1 ack 5']]);
});

test('a run that began while nobody read is found after the restart, and an earlier one stays fenced', async (t) => {
  const { server, price, reader } = await synced(t);
  await reader.stop();
  server.write(2, hello(2), catalogue);
  await server.clock.advance(60_000);
  server.write(1, hello());
  server.take();
  const next = started(t, server);
  await server.clock.advance(100);
  assert.deepEqual(server.take(), ['1 resync connected', '1 FENCED', '2 resync connected', '1 FENCED']);
  next.listen();
  server.write(2, begin, price(1, '1'), end);
  await server.clock.advance(100);
  assert.deepEqual(next.bids, ['1']);
});

for (const [what, lose] of [
  ['a stream that is gone', (server: FakeServer) => server.entries.splice(0)],
  ['a stream trimmed beyond the position', (server: FakeServer) => server.entries.splice(0, server.entries.length - 1)],
] as const) {
  test(`${what} makes the engine begin anew`, async (t) => {
    const { server, price, reader } = await synced(t);
    await reader.stop();
    server.take();
    server.write(1, price(2, '2'), price(3, '3'));
    lose(server);
    const next = started(t, server);
    await server.clock.advance(100);
    server.write(1, price(4, '4'));
    await server.clock.advance(100);
    assert.deepEqual(server.take(), ['1 resync connected', '1 OUT_OF_TURN']);
    server.write(1, hello(), catalogue);
    await server.clock.advance(100);
    next.listen();
    server.write(1, begin, price(5, '5'), end);
    await server.clock.advance(100);
    assert.deepEqual(next.bids, ['5']);
  });
}

test('a stream that is deleted while it is read ends the session within a second or two', async (t) => {
  const { server, price, events } = await synced(t);
  server.entries.splice(0);
  await server.clock.advance(1_200);
  assert.equal(events.at(-1), 'closed');
  server.write(1, price(2, '2'));
  await server.clock.advance(200);
  assert.deepEqual(server.take(), ['1 OUT_OF_TURN']);
});

test('an answer that is lost with the server ends the session, which begins anew when it is back', async (t) => {
  const { server, price, events } = await synced(t);
  server.isAway = true;
  await server.clock.advance(3_500);
  assert.equal(events.at(-1), 'closed');
  server.isAway = false;
  await server.clock.advance(600);
  server.write(1, price(2, '2'));
  await server.clock.advance(600);
  assert.deepEqual(server.take(), ['1 OUT_OF_TURN']);
});
