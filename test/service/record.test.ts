import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { verifyRecord } from '../../src/history/query/verify.ts';
import { rebuildAnswer } from '../../src/history/reading/bodies.ts';
import { RecordReader } from '../../src/history/reading/record-reader.ts';
import { newRecord, recordTest } from '../../src/history/record/record.testing.ts';
import { segmentKinds } from '../../src/history/segment/segment.ts';
import { eventually } from '../support/eventually.ts';
import { MailServer } from '../support/mail-server.ts';
import { ServiceHarness } from '../support/service-harness.ts';

/** An answer as a client got it. */
interface Got {
  readonly requestId: string;
  readonly body: string;
  readonly status: number;
  readonly path: string;
}

const token = 'a-token-for-the-tests-of-the-record';

recordTest('the body of every answer to a key can be built again from the record, byte for byte', async (t) => {
  const mailServer = await MailServer.start(t);
  const mail = { 'mail.smtp': `smtp://127.0.0.1:${mailServer.port}`, 'mail.from': 'api@example.com' };
  const sealTo = { 'history.sealTo': 'Compliance <compliance@example.net>' };
  const { location, store } = await newRecord(t);
  const url = location.kind === 'sqlite' ? `sqlite:${location.path}` : location.url;
  const journal = location.kind === 'sqlite' ? 'unused' : location.journalPath;
  const settings = { 'history.url': url, 'history.journal': journal, 'admin.token': token, ...mail, ...sealTo };
  const harness = await ServiceHarness.start(t, { settings });
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
  for (let round = 0; round < 12; round++) for (const path of [...paths, '/v1/time']) await ask(path);
  for (const path of wrong) await ask(path);
  const askManagement = (path: string) => {
    const headers = { Authorization: `Bearer ${token}`, Connection: 'close' };
    return fetch(`${harness.service.adminUrl}/api/history${path}`, { headers });
  };
  // The next minute begins: what follows is built again from a keyframe.
  harness.clock.shift(60_000);
  await eventually('the first minute is sealed', async () => {
    const response = await askManagement(`/answers/${answers[0]!.requestId}`);
    return response.status === 200 && ((await response.json()) as { segment: unknown }).segment !== null;
  });
  await harness.untilLive();
  for (const path of wrong) await ask(path);
  await eventually('ADAEUR is stored', () =>
    harness.withStore(async ({ markets }) => (await markets.list()).some(({ symbol }) => symbol === 'ADAEUR')),
  );
  await harness.withStore(({ markets }) => markets.delist('ADAEUR', harness.clock.now()));
  await eventually('ADAEUR is delisted', async () => !(await harness.api.tickers()).has('ADAEUR'));
  for (const path of [...paths, '/v1/ticker?symbol=ADAEUR']) await ask(path);

  const dispute = answers.find(({ path }) => path.endsWith('btcczk'))!;
  const manage = async (path: string) => {
    const response = await askManagement(path);
    assert.equal(response.status, 200, path);
    return await response.json();
  };
  await eventually('the running minute can be asked about', async () => {
    return (await askManagement(`/answers/${answers.at(-1)!.requestId}`)).status === 200;
  });
  const proven: { body: string; answer: { atMs: number } } = await manage(`/answers/${dispute.requestId}`);
  assert.equal(proven.body, dispute.body);
  const { buyPrice } = JSON.parse(dispute.body);
  const explained: { buy: { value: string }[] } = await manage(`/prices/BTCCZK?atMs=${proven.answer.atMs}`);
  assert.match(explained.buy[0]!.value, /^\d/);
  const span = `fromMs=${proven.answer.atMs - 60_000}&toMs=${proven.answer.atMs + 180_000}`;
  const { quotes }: { quotes: { buyPrice: string }[] } = await manage(`/quotes/BTCCZK?${span}&limit=1000`);
  assert.ok(quotes.some((quote) => quote.buyPrice === buyPrice));
  const { candles }: { candles: object[] } = await manage(`/candles/BTCCZK?${span}&step=1m`);
  assert.ok(candles.length >= 1);
  await eventually('every answer is listed', async () => {
    const { answers: listed }: { answers: { requestId: string }[] } = await manage(`/answers?${span}&limit=1000`);
    return answers.every(({ requestId }) => listed.some((row) => row.requestId === requestId));
  });
  harness.clock.shift(86_400_000);
  const sealed = await eventually('the hash of the day is mailed', () => mailServer.accepted[0]);
  const file: { text: string } = await manage(`/answers/${dispute.requestId}/proof`);
  const proof = JSON.parse(file.text);
  assert.equal(proof.body, dispute.body);
  assert.ok(sealed.raw.includes(`Record of ${proof.seal.day}:`), 'the proof leads to the day that was mailed');
  assert.ok(sealed.raw.includes(`\r\n${proof.head}\r\n`), 'and to its hash');
  await harness.stopService();

  const reader = new RecordReader(store);
  for (const { requestId, body, status, path } of answers) {
    const found = await reader.findServing(requestId);
    assert.equal(found?.serving.status, status, `${path} is found by its request id`);
    assert.equal((await rebuildAnswer(reader, found))?.body, body, path);
  }
  const [, number] = /segment (\d+) of chain 1/.exec(sealed.raw)!;
  const { hash } = (await store.segment(1, Number(number)))!;
  assert.ok(sealed.raw.includes(`\r\n${hash.toString('hex')}\r\n`), 'the hash is of a segment of the record');
  const later = await store.heads({ kinds: segmentKinds, chain: 1, afterNumber: Number(number) });
  const nextDay = Date.parse(/Record of (\S+):/.exec(sealed.raw)![1]!) + 86_400_000;
  assert.deepEqual(
    later.filter(({ firstAt }) => firstAt < nextDay),
    [],
    'it covers the last minute of the day',
  );
  const { finding, segments } = await verifyRecord(store, () => {});
  assert.equal(finding, undefined);
  assert.ok(segments > 3);
  if (location.kind !== 'sqlite') return;
  const text = ['', '-wal'].map((ending) => readFileSync(`${location.path}${ending}`, 'latin1')).join('');
  assert.ok(!text.includes(harness.credentials.key), 'no text of a key is kept');
});
