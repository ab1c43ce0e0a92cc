import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, test } from 'node:test';
import {
  ApiProblem,
  createClient,
  fromEnvironment,
  knownErrorCodes,
  MarketDataUnavailableProblem,
  type RequestEvent,
  UnknownSymbolProblem,
} from '../src/index.ts';
import { problemFailure } from '../src/problems.ts';
import { World } from './drive.testing.ts';

describe('what a caller can see of its requests', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start({ key: 5 });
  });
  afterEach(() => world.stop());

  test('each request, answer and repetition is reported to the hooks, without the key', async () => {
    const events: [string, RequestEvent][] = [];
    const keep = (name: string) => (event: RequestEvent) => void events.push([name, event]);
    world.api.list('BTC', 'ETH', 'SOL');
    const hooks = { onRequest: keep('request'), onResponse: keep('response'), onRetry: keep('retry') };
    const client = world.client({ ...hooks, maxAttempts: 2 });
    const failure = await world.until(client.ticker('SOLEUR').catch((thrown: unknown) => thrown));
    assert.deepEqual(
      events.map(([name, { path, attempt }]) => `${name} ${attempt} ${path}`),
      [
        'request 1 /v1/ticker?symbol=SOLEUR',
        'response 1 /v1/ticker?symbol=SOLEUR',
        'retry 1 /v1/ticker?symbol=SOLEUR',
        'request 2 /v1/ticker?symbol=SOLEUR',
        'response 2 /v1/ticker?symbol=SOLEUR',
      ],
    );
    const [, answered, retried, , last] = events.map(([, event]) => event as RequestEvent & Record<string, unknown>);
    assert.deepEqual([answered!.status, last!.requestId], [503, (failure as ApiProblem).requestId]);
    assert.ok(retried!.failure instanceof MarketDataUnavailableProblem && Number(retried!.waitMs) >= 5_000);
    assert.ok(!JSON.stringify(events).includes(world.api.key));
  });

  test('what a hook throws fails the call and costs no place in the budget', async () => {
    let isBroken = true;
    const onRequest = () => {
      if (isBroken) throw new Error('mine');
    };
    const client = world.client({ onRequest });
    await assert.rejects(client.time(), /mine/);
    isBroken = false;
    assert.equal((await world.until(client.time())).serverTimeMs, world.clock.now());
  });

  test('a call gives its data, and with withResponse also status, request id and headers', async () => {
    const client = world.client();
    const call = client.tickers();
    const { data, response } = await world.until(call.withResponse());
    assert.equal(await call, data);
    assert.deepEqual([response.status, response.headers.get('x-feed-status')], [200, 'operational']);
    assert.match(response.requestId ?? '', /^[\w-]{16,64}$/);
    const again = await world.until(client.tickers().withResponse());
    assert.deepEqual([again.response.status, again.data === data], [304, true]);
    assert.notEqual(again.response.requestId, response.requestId);
  });

  test('a failing call is reported as unhandled neither by then nor by withResponse', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const client = world.client({ maxAttempts: 1 });
    await world.until(client.ticker('NOPE').catch(() => {}));
    await world.until(
      client
        .ticker('NOPE')
        .withResponse()
        .catch(() => {}),
    );
    await world.until(
      client
        .ticker('NOPE')
        .finally(() => {})
        .catch(() => {}),
    );
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    assert.deepEqual(unhandled, []);
  });

  test('what is left of the limit is read from the answers, and is whole again in the next minute', async () => {
    const client = world.client();
    assert.equal(client.budget, undefined);
    await world.until(client.time());
    await world.until(client.status());
    const resetMs = Date.parse('2026-11-21T10:01:00Z');
    assert.deepEqual(client.budget, { limit: 5, remaining: 3, resetMs });
    await world.pass(resetMs - world.clock.now() + 1_000, 1_000);
    assert.deepEqual(client.budget, { limit: 5, remaining: 5, resetMs: resetMs + 60_000 });
  });

  test('requests name the client and its version', async () => {
    await world.until(world.client().time());
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    assert.equal(world.sent[0]?.headers['user-agent'], `market-data-client/${version} (TypeScript)`);
  });
});

describe('the errors of the API', () => {
  const problem = (code: string) => {
    const texts = { type: 'https://api.example.com/errors/x', title: 'X', detail: 'x', requestId: 'x' };
    return problemFailure({ ...texts, status: 404, code }, '/v1/ticker', undefined);
  };

  test('have a class for each code, all of them ApiProblem', () => {
    const failures = knownErrorCodes.map(problem);
    assert.equal(new Set(failures.map((failure) => failure.constructor)).size, knownErrorCodes.length);
    for (const failure of failures) {
      assert.ok(failure instanceof ApiProblem);
      assert.equal(failure.name, failure.constructor.name);
      assert.equal(
        failure.name,
        `${failure.code.toLowerCase().replace(/(^|_)./g, (at) => at.at(-1)!.toUpperCase())}Problem`,
      );
    }
    const unknown = problem('UNKNOWN_SYMBOL');
    assert.ok(unknown instanceof UnknownSymbolProblem && unknown.code === 'UNKNOWN_SYMBOL');
  });

  test('of a code that is new are an ApiProblem, whatever the code is called', () => {
    for (const code of ['NEW_CODE', 'constructor', '__proto__']) {
      const failure = problem(code);
      assert.deepEqual([failure.constructor, failure.code], [ApiProblem, code]);
    }
  });
});

describe('the environment', () => {
  test('gives address and key when asked, and what is missing is named', () => {
    const both = { MARKET_DATA_BASE_URL: 'https://api.example.com', MARKET_DATA_API_KEY: 'mdk_x' };
    assert.deepEqual(fromEnvironment(both), { baseUrl: 'https://api.example.com', apiKey: 'mdk_x' });
    assert.ok(createClient(fromEnvironment(both)));
    assert.throws(() => fromEnvironment({ ...both, MARKET_DATA_API_KEY: '' }), {
      name: 'TypeError',
      message: 'the environment has no MARKET_DATA_API_KEY',
    });
    assert.throws(() => fromEnvironment({}), /no MARKET_DATA_BASE_URL and no MARKET_DATA_API_KEY/);
  });
});
