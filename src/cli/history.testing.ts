import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { RequestNumbers } from '../ground/request-numbers.ts';
import { openWriter } from '../history/record/open-writer.ts';
import { requestKey } from '../history/record/record.testing.ts';
import { Recorder } from '../history/record/recorder.ts';
import { openSqliteSegments } from '../history/segment/sqlite-segments.ts';
import { Markets } from '../market/markets.ts';
import {
  conversionRate,
  decimal,
  everyEuroMarket,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { newDirectory, runInside } from './cli.testing.ts';

export const requestId = new RequestNumbers(requestKey).idOf(1);
/** Has a key, and a record in which it was answered a price of BTCEUR. */
export async function operator(t: TestContext) {
  const cwd = newDirectory(t);
  const clock = new FakeClock();
  const mdapi = (...argv: readonly string[]) => runInside(argv, { cwd, clock });
  const json = async <Shape>(...argv: readonly string[]) => {
    const { stdout, stderr, exitCode } = await mdapi(...argv, '--json');
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout) as Shape;
  };
  const account = await json<{ id: string }>('accounts', 'create', '--email', 'bot@example.com');
  const key = await json<{ id: string; lastFour: string }>('keys', 'create', '--account', account.id);
  const path = join(cwd, 'history.sqlite');
  await recordAnswer(path, clock, key.id);
  clock.jump(60_000);
  return { cwd, clock, path, key, mdapi, json };
}

/** Records one price, that the key got it, and that the operator held it a second later for a second. */
export async function recordAnswer(path: string, clock: FakeClock, keyId: string): Promise<void> {
  await recordInto(path, clock, ({ markets, recorder }) => {
    markets.tickerReceived(upstreamTicker());
    markets.rateRefreshed(conversionRate());
    recorder.start(startFacts);
    const asked = { keyId, askedAt: clock.now(), route: '/v1/ticker', symbol: 'BTCEUR' };
    recorder.served({ ...asked, status: 200, text: '', request: 1 });
    const hold = (heldAt: EpochMs | undefined) => {
      clock.jump(1_000);
      markets.applyHolds([{ symbol: symbol('BTCEUR'), heldAt, acceptedAt: undefined }]);
      recorder.flush();
    };
    hold(clock.now());
    hold(undefined);
  });
}

/** Records prices of BTCEUR, each published when it says. */
export async function recordPrices(
  path: string,
  clock: FakeClock,
  prices: readonly { readonly capturedAt: number; readonly publishedAt: number; readonly bid: string }[],
): Promise<void> {
  await recordInto(path, clock, ({ markets, recorder }) => {
    recorder.start(startFacts);
    for (const { capturedAt, publishedAt, bid } of prices) {
      clock.jump(publishedAt - clock.now());
      const at = { upstreamTime: capturedAt as EpochMs, askedAt: clock.now(), receivedAt: clock.now() };
      markets.tickerReceived(upstreamTicker({ bid: decimal(bid), ask: decimal('84800.0'), ...at }));
      recorder.flush();
    }
  });
}

const startFacts: Parameters<Recorder['start']>[0] = [
  ['process', '{"version":"1.0.0","errorsUrl":"https://api.example.com/errors"}'],
];

async function recordInto(
  path: string,
  clock: FakeClock,
  happens: (parts: { readonly markets: Markets; readonly recorder: Recorder }) => void,
): Promise<void> {
  const store = openSqliteSegments(path);
  const options = { store, journalPath: path, requestKey, now: clock.now(), written: () => {} };
  const { writer, release } = await openWriter(options);
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  markets.catalogueLoaded([upstreamMarket('BTC')], start);
  const pieces: Buffer[] = [];
  const channel = { send: (piece: Buffer) => void pieces.push(piece) };
  const recorder = new Recorder({ markets, clock, channel, onGap: () => assert.fail('a gap') });
  happens({ markets, recorder });
  recorder.stop();
  for (const piece of pieces) await writer.take(piece);
  await writer.stop();
  release();
  await store.close();
}
