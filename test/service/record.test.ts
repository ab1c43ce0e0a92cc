import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { rebuildAnswer } from '../../src/history/bodies.ts';
import { RecordReader } from '../../src/history/record-reader.ts';
import { openSqliteSegmentsToRead } from '../../src/history/sqlite-segments.ts';
import { verifyRecord } from '../../src/history/verify.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceHarness } from '../support/service-harness.ts';

/** An answer as a client got it. */
interface Got {
  readonly requestId: string;
  readonly body: string;
  readonly status: number;
  readonly path: string;
}

test('the body of every answer to a key can be built again from the record, byte for byte', async (t) => {
  const harness = await ServiceHarness.start(t, { settings: { 'history.url': 'sqlite:./history.sqlite' } });
  const answers: Got[] = [];
  const ask = async (path: string) => {
    const response = await fetch(`${harness.service.baseUrl}${path}`, {
      headers: { 'X-EXCHANGE-APIKEY': harness.credentials.key, 'Accept-Encoding': 'identity' },
    });
    const requestId = response.headers.get('x-request-id')!;
    answers.push({ requestId, body: await response.text(), status: response.status, path });
  };
  const paths = ['/v1/ticker?symbol=BTCEUR', '/v1/ticker?symbol=btcczk', '/v1/tickers', '/v1/markets', '/v1/status'];
  const wrong = ['/v1/ticker?symbol=NOPE', '/v1/ticker', '/v1/nothing', '/v1/ticker?symbol=!'];
  for (let round = 0; round < 40; round++) for (const path of [...paths, '/v1/time']) await ask(path);
  for (const path of wrong) await ask(path);
  await harness.withStore(({ markets }) => markets.delist('ADAEUR', harness.clock.now()));
  await eventually('ADAEUR is delisted', async () => !(await harness.api.tickers()).has('ADAEUR'));
  for (const path of [...paths, '/v1/ticker?symbol=ADAEUR']) await ask(path);
  await harness.stopService();

  const store = openSqliteSegmentsToRead(join(harness.directory, 'history.sqlite'))!;
  t.after(() => store.close());
  const reader = new RecordReader(store);
  for (const { requestId, body, status, path } of answers) {
    const found = await reader.findServing(requestId);
    assert.equal(found?.serving.status, status, `${path} is found by its request id`);
    assert.equal((await rebuildAnswer(reader, found, requestId))?.body, body, path);
  }
  const { finding, segments } = await verifyRecord(store, () => {});
  assert.equal(finding, undefined);
  assert.ok(segments > 3);
});
