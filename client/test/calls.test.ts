import assert from 'node:assert/strict';
import { after, afterEach, before, describe, mock, test } from 'node:test';
import { inspect } from 'node:util';
import {
  ApiProblem,
  type ClientOptions,
  createClient,
  MalformedAnswer,
  MarketDataFailure,
  TransportFailure,
} from '../src/index.ts';
import { Drive, World } from './drive.testing.ts';
import { answer, FaultyServer, marketBody, problem, tickerBody, timeBody } from './faulty-server.testing.ts';

/** What a call rejects with; fails when it does not. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (failure) {
    return failure;
  }
  throw new Error('it did not fail');
}

describe('a client of the real listener', () => {
  let world: World;
  before(async () => {
    world = await World.start({ key: 100_000 });
  });
  after(() => world.stop());

  test('reads every resource of the contract, as the server wrote it and frozen', async () => {
    const client = world.client();
    const { body } = await world.api.get('/v1/tickers');
    const tickers = await client.tickers();
    assert.deepEqual(tickers, JSON.parse(body.toString()).tickers);
    assert.equal(typeof tickers[0]?.buyPrice, 'string');
    assert.equal((await client.ticker('btceur')).symbol, 'BTCEUR');
    assert.deepEqual(
      (await client.markets()).map(({ symbol }) => symbol),
      ['BTCCZK', 'BTCEUR', 'ETHCZK', 'ETHEUR'],
    );
    assert.equal((await client.status()).components.ticker, 'operational');
    assert.equal((await client.time()).serverTimeMs, world.clock.now());
    assert.ok(
      Object.isFrozen(tickers) && Object.isFrozen(tickers[0]) && Object.isFrozen((await client.status()).components),
    );
  });

  test('gives the same object again while the server says that nothing changed, and a new one once it did', async () => {
    const client = world.client();
    const first = await client.tickers();
    const single = await client.ticker('ETHEUR');
    world.sent.length = 0;
    assert.equal(await client.tickers(), first);
    assert.equal(await client.ticker('etheur'), single);
    assert.deepEqual(world.statuses(), [304, 304]);
    world.api.tick('BTC', '50001.00', '50011.00');
    const second = await client.tickers();
    assert.notEqual(second, first);
    assert.equal(await client.tickers(), second);
  });

  test('throws a problem as an error with its code, status, request id and page', async () => {
    const problem = await failureOf(world.client().ticker('NOPEEUR'));
    assert.ok(problem instanceof ApiProblem && problem instanceof MarketDataFailure && problem instanceof Error);
    assert.deepEqual([problem.code, problem.status, problem.retryable], ['UNKNOWN_SYMBOL', 404, false]);
    assert.match(problem.requestId, /^\w{16,}$/);
    assert.match(problem.type, /\/errors\/unknown-symbol$/);
    assert.equal(problem.path, '/v1/ticker?symbol=NOPEEUR');
    assert.ok(problem.message.includes(problem.detail) && problem.message.includes(problem.requestId));
  });

  test('sends an odd symbol as it is, for the server to refuse', async () => {
    for (const symbol of ['a&b=c', 'ı', '', '../time', '\u0000']) {
      const problem = await failureOf(world.client().ticker(symbol));
      assert.ok(problem instanceof ApiProblem && problem.code === 'INVALID_PARAMETER', JSON.stringify(symbol));
    }
  });

  test('keeps the key out of errors, inspection, JSON and addresses', async () => {
    const { key } = world.api;
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    const client = createClient(world.options(world.baseUrl, wrong));
    const failure = await failureOf(client.time());
    assert.ok(failure instanceof ApiProblem && failure.code === 'INVALID_API_KEY');
    const watch = client.watchTickers();
    const shown = [client, failure, watch].flatMap((thing) => [
      inspect(thing, { depth: 20, showHidden: true }),
      JSON.stringify(thing),
      String(thing),
    ]);
    shown.push(...world.sent.map(({ path }) => path), (failure as Error).stack ?? '');
    assert.ok(shown.every((text) => !text.includes(wrong)));
  });
});

describe('a client of a server that answers oddly', () => {
  /** Asks the behaviour's server once, without a retry. */
  async function ask(behaviour: Parameters<typeof FaultyServer.start>[0], more: Partial<ClientOptions> = {}) {
    const server = await FaultyServer.start(behaviour);
    const drive = new Drive();
    const client = createClient(drive.options(server.baseUrl, 'secret-key', { maxAttempts: 1, ...more }));
    try {
      return await failureOf(client.time());
    } finally {
      await server.stop();
    }
  }

  test('passes on codes it does not know, to be judged by their status', async () => {
    const known = [
      [418, 'TEAPOT', false],
      [503, 'BACK_SOON', true],
    ] as const;
    for (const [status, code, retryable] of known) {
      const failure = await ask(problem(status, code, { 'retry-after': '7' }));
      assert.ok(failure instanceof ApiProblem);
      assert.deepEqual([failure.code, failure.retryable, failure.retryAfterMs], [code, retryable, 7000]);
    }
  });

  test('never follows a redirect, which would take the key along', async () => {
    const elsewhere = await FaultyServer.start(answer(200, timeBody));
    const failure = await ask(answer(302, '', { location: `${elsewhere.baseUrl}/v1/time` }));
    assert.ok(failure instanceof MalformedAnswer);
    assert.deepEqual([failure.status, failure.retryable], [302, false]);
    assert.equal(elsewhere.requests.length, 0);
    await elsewhere.stop();
  });

  test('says what is wrong with a body, and never lets a price through that is not a decimal string', async () => {
    const bodies: [unknown, RegExp][] = [
      ['<html>', /not JSON/],
      ['[]', /body is not an object/],
      [{ serverTime: 'x' }, /body\.serverTimeMs is not a whole number/],
      [{ serverTime: 1, serverTimeMs: 1 }, /body\.serverTime is not a string/],
    ];
    for (const [body, expected] of bodies) {
      const failure = await ask(answer(200, body));
      assert.ok(failure instanceof MalformedAnswer && !failure.retryable);
      assert.match(failure.message, expected);
    }
    const server = await FaultyServer.start(answer(200, { tickers: [{ ...tickerBody, sellPrice: 49750.1 }] }));
    const failure = await failureOf(createClient(new Drive().options(server.baseUrl, 'secret-key')).tickers());
    assert.match(String(failure), /body\.tickers\[0\]\.sellPrice is not a decimal string/);
    await server.stop();
  });

  test('passes on members and states it does not know', async () => {
    const markets = [{ ...marketBody, status: 'halted', further: { x: 1 } }];
    const server = await FaultyServer.start(answer(200, { markets }));
    assert.deepEqual(await createClient(new Drive().options(server.baseUrl, 'secret-key')).markets(), markets);
    await server.stop();
  });

  test('takes an error page that is no problem as a malformed answer, retryable by its status', async () => {
    for (const [status, retryable] of [
      [502, true],
      [403, false],
      [304, false],
    ] as const) {
      const failure = await ask(answer(status, status === 304 ? '' : '<h1>sorry</h1>'));
      assert.ok(failure instanceof MalformedAnswer, String(status));
      assert.deepEqual([failure.status, failure.retryable], [status, retryable]);
    }
  });

  test('takes the key out of whatever the other side or the fetch function writes', async () => {
    const echo = { type: 'x', title: 'secret-key', status: 400, code: 'X', detail: 'Got secret-key.', requestId: 'r' };
    const failures = [
      await ask(answer(400, echo)),
      await ask(answer(200, timeBody), {
        fetch: async (_, init) => {
          throw Object.assign(new Error(`cannot send ${JSON.stringify(init.headers)}`), { request: init });
        },
      }),
    ];
    assert.ok(failures[0] instanceof ApiProblem && failures[1] instanceof TransportFailure);
    for (const failure of failures) assert.ok(!inspect(failure, { depth: 20 }).includes('secret-key'));
  });
});

describe('options', () => {
  test('that cannot be right are refused at once, without showing the key', () => {
    const good = { baseUrl: 'https://api.example.com', apiKey: 'key' };
    const wrong: Partial<ClientOptions>[] = [
      { baseUrl: 'api.example.com' },
      { baseUrl: 'ftp://api.example.com' },
      { baseUrl: 'https://user:pass@api.example.com' },
      { baseUrl: 'https://api.example.com/v1' },
      { baseUrl: 'https://api.example.com/?a=b' },
      { apiKey: '' },
      { apiKey: 'mdk_with space' },
      { apiKey: 'mdk_line\nbreak' },
      { maxAttempts: 0 },
      { deadlineMs: Number.NaN },
    ];
    for (const options of wrong) {
      assert.throws(
        () => createClient({ ...good, ...options }),
        (error: Error) => error.message.length > 0 && !error.message.includes('mdk_'),
      );
    }
    createClient({ ...good, baseUrl: new URL('https://example.com/market-data/') });
  });
});

describe('a client in a browser, where its key would be public', () => {
  const options = { baseUrl: 'https://api.example.com', apiKey: 'secret-key' };
  const inPlaceOf = (userAgent: string) => mock.getter(navigator, 'userAgent', () => userAgent);
  afterEach(() => mock.restoreAll());

  test('is refused, without the key in the message, unless it is asked for', () => {
    inPlaceOf('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36');
    assert.throws(
      () => createClient(options),
      (error) => error instanceof TypeError && /allowBrowser/.test(error.message) && !/secret/.test(error.message),
    );
    assert.ok(createClient({ ...options, allowBrowser: true }));
  });

  test('is made by every other runtime as before', () => {
    for (const name of ['Node.js/26', 'Bun/1.3.0', 'Deno/2.5.0', 'Cloudflare-Workers']) {
      inPlaceOf(name);
      assert.ok(createClient(options), name);
    }
  });
});
