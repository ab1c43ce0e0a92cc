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
  const store = openSqliteSegments(path);
  const options = { store, journalPath: path, requestKey, now: clock.now(), written: () => {} };
  const { writer, release } = await openWriter(options);
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  markets.catalogueLoaded([upstreamMarket('BTC')], start);
  markets.tickerReceived(upstreamTicker());
  markets.rateRefreshed(conversionRate());
  const pieces: Buffer[] = [];
  const channel = { send: (piece: Buffer) => void pieces.push(piece) };
  const recorder = new Recorder({ markets, clock, channel, onGap: () => assert.fail('a gap') });
  recorder.start([['process', '{"version":"1.0.0","errorsUrl":"https://api.example.com/errors"}']]);
  const asked = { keyId, askedAt: clock.now(), route: '/v1/ticker', symbol: 'BTCEUR' };
  recorder.served({ ...asked, status: 200, text: '', request: 1 });
  const hold = (heldAt: EpochMs | undefined) => {
    clock.jump(1_000);
    markets.applyHolds([{ symbol: symbol('BTCEUR'), heldAt, acceptedAt: undefined }]);
    recorder.flush();
  };
  hold(clock.now());
  hold(undefined);
  recorder.stop();
  for (const piece of pieces) await writer.take(piece);
  await writer.stop();
  release();
  await store.close();
}
