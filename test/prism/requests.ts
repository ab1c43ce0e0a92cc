import type { EpochMs } from '../../src/ground/clock.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceHarness } from '../support/service-harness.ts';
import type { PrismProxy, ProxiedAnswer, ProxiedRequest } from './prism-proxy.ts';

/** One request of the round, and what came of it. */
export interface Judged {
  readonly name: string;
  readonly expected: number;
  readonly answer: ProxiedAnswer;
}

const keyed = ['/v1/time', '/v1/status', '/v1/markets', '/v1/tickers', '/v1/ticker?symbol=BTCCZK'] as const;
const keyless = ['/', '/openapi/v1.json'] as const;
const hourMs = 3_600_000;

/**
 * Asks everything once, in every state the service can be in. HEAD is left out, for Prism reads a body
 * where there is none, and so is zstd, which its own client cannot decode: both are held against the
 * document in `test/http`.
 */
export async function* fullRound(service: ServiceHarness, proxy: PrismProxy): AsyncGenerator<Judged> {
  const withKey = { 'X-EXCHANGE-APIKEY': service.credentials.key };
  const judge = async (target: string, expected: number, request: ProxiedRequest, what = ''): Promise<Judged> => {
    const name = `GET ${target} ${what}`.trim();
    return { name, expected, answer: await proxy.ask(target, request) };
  };

  yield* successes(judge, withKey);
  yield* refusals(judge, withKey);
  yield* maintenance(service, judge, withKey);
  yield* unavailable(service, judge, withKey);
  yield* limits(service, judge);
}

type Judge = (target: string, expected: number, request: ProxiedRequest, what?: string) => Promise<Judged>;
type Headers = Readonly<Record<string, string>>;

async function* successes(judge: Judge, withKey: Headers): AsyncGenerator<Judged> {
  for (const target of keyed) yield judge(target, 200, { headers: withKey });
  for (const target of keyless) yield judge(target, 200, { headers: { Accept: 'application/json' } });
  yield judge('/', 200, { headers: { Accept: 'text/html' } }, 'as HTML');
  for (const encoding of ['gzip', 'br']) {
    yield judge('/v1/tickers', 200, { headers: { ...withKey, 'Accept-Encoding': encoding } }, encoding);
  }
  // The tag of the exchange's moving prices would be an old one by the time it is sent back.
  for (const target of ['/v1/markets', '/openapi/v1.json']) {
    const first = await judge(target, 200, { headers: withKey });
    yield first;
    yield judge(target, 304, { headers: { ...withKey, 'If-None-Match': String(first.answer.headers.etag) } }, 'again');
  }
}

async function* refusals(judge: Judge, withKey: Headers): AsyncGenerator<Judged> {
  yield judge('/v1/ticker', 400, { headers: withKey });
  yield judge('/v1/ticker?symbol=!', 400, { headers: withKey });
  yield judge('/v1/ticker?symbol=NOSUCHEUR', 404, { headers: withKey });
  for (const target of keyed) yield judge(target, 401, {}, 'without key');
  for (const target of keyed) yield judge(target, 401, { headers: { 'X-EXCHANGE-APIKEY': 'wrong' } }, 'wrong key');
}

async function* maintenance(service: ServiceHarness, judge: Judge, withKey: Headers): AsyncGenerator<Judged> {
  const now = service.clock.now();
  const announced = { from: now, to: (now + hourMs) as EpochMs, description: 'Upgrade' };
  const { id } = await service.withStore(({ windows }) => windows.announce(announced));
  await eventually('it runs', async () => (await service.api.status()).status === 'maintenance');
  for (const target of keyed) {
    yield judge(target, target === '/v1/status' ? 200 : 503, { headers: withKey }, 'in maintenance');
  }
  await service.withStore(({ windows }) => windows.end(id));
  await eventually('it has ended', async () => (await service.api.status()).status === 'operational');
}

async function* unavailable(service: ServiceHarness, judge: Judge, withKey: Headers): AsyncGenerator<Judged> {
  const { simulator, clock } = service;
  await simulator.faults.set({ fault: 'rate-gone' });
  await simulator.faults.set({ fault: 'down' });
  clock.shift(97 * hourMs);
  await service.untilTicker('outage');
  yield judge('/v1/status', 200, { headers: withKey }, 'in an outage');
  yield judge('/v1/tickers', 200, { headers: withKey }, 'in an outage');
  yield judge('/v1/ticker?symbol=BTCCZK', 503, { headers: withKey }, 'without rate');
  await simulator.faults.clear();
  await service.untilLive();
}

async function* limits(service: ServiceHarness, judge: Judge): AsyncGenerator<Judged> {
  const { api, clock } = service;
  // Away from the turn of the minute, where the windows begin anew.
  clock.shift(30_000 - (clock.now() % 60_000));
  for (let request = 0; request < 45; request++) {
    const init = { headers: { Connection: 'close' } };
    await (await fetch(`${api.baseUrl}/`, init)).arrayBuffer();
    await (await fetch(`${api.baseUrl}/v1/time`, init)).arrayBuffer();
  }
  yield judge('/', 429, { headers: { Accept: 'application/json' } });
  yield judge('/openapi/v1.json', 429, {});
  yield judge('/v1/time', 429, { headers: { 'X-EXCHANGE-APIKEY': 'wrong' } });
}
