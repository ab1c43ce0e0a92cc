import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { EpochMs } from '../../ground/clock.ts';
import { RequestNumbers } from '../../ground/request-numbers.ts';
import { newRecord, recordTest, requestKey, writerOn } from '../record/record.testing.ts';
import { StreamWriter } from '../record/stream.ts';
import { rebuildAnswer } from './bodies.ts';
import { RecordReader } from './record-reader.ts';

const numbers = new RequestNumbers(requestKey);
const minuteMs = 60_000;

/** A process that began at 1 s, told of a market, and answers. */
async function record(t: TestContext) {
  const { store, journalPath } = await newRecord(t);
  const { writer } = await writerOn(store, journalPath);
  const stream = new StreamWriter();
  stream.reset();
  stream.time(1_000 as EpochMs);
  stream.fact('process', '', JSON.stringify({ version: '1.0.0', errorsUrl: 'https://api.example.com/errors' }));
  stream.name(0, 'ADAEUR');
  const reader = new RecordReader(store);
  let count = 0;
  const list = (market: object | null) => stream.listing(0, JSON.stringify({ market }));
  const answer = (at: number, route: string, status: number, text = '', keyId = 'key_a') => {
    stream.time(at as EpochMs);
    const asked = { keyId, askedAt: at as EpochMs, route, symbol: '', status, text, request: ++count };
    stream.serving(asked);
    return numbers.idOf(count);
  };
  const rebuilt = async (requestId: string) => {
    const found = await reader.findServing(requestId);
    assert.ok(found !== undefined, 'it is found by its request id');
    return (await rebuildAnswer(reader, found))?.body;
  };
  /** Closes the minute of what was told. */
  const seal = async (at: number) => {
    await writer.take(stream.take());
    await writer.tick(at as EpochMs);
  };
  /** The running minute is in the journal alone. */
  const take = () => writer.take(stream.take());
  return { stream, reader, list, answer, rebuilt, seal, take };
}

recordTest('the answers to a key are its own, also those of the running minute', async (t) => {
  const { reader, answer, seal, take } = await record(t);
  const asked = (at: number) => ['key_a', 'key_b'].map((keyId) => answer(at, '/v1/time', 200, '', keyId));
  const [sealedId] = asked(2_000);
  await seal(minuteMs + 1_000);
  const [runningId] = asked(minuteMs + 2_000);
  await take();
  const span = { from: 0 as EpochMs, to: (5 * minuteMs) as EpochMs };
  const rows = (await Array.fromAsync(reader.servings(1, span, 'key_a'))).flat();
  assert.deepEqual(
    rows.map(({ keyId, requestId }) => [keyId, requestId]),
    [
      ['key_a', sealedId],
      ['key_a', runningId],
    ],
  );
  assert.equal((await Array.fromAsync(reader.servings(1, span))).flat().length, 4);
});

recordTest('a problem is built again however long ago the process that answered began', async (t) => {
  const { answer, rebuilt, seal } = await record(t);
  const ids: string[] = [];
  // In the first minute, after the first keyframe, and after that of the next hour.
  for (const at of [2_000, minuteMs + 2_000, 61 * minuteMs, 62 * minuteMs]) {
    ids.push(answer(at, '/v1/ticker', 404, 'UNKNOWN_SYMBOL No traded market has this symbol.'));
    await seal(at + minuteMs);
  }
  for (const requestId of ids) {
    const body = await rebuilt(requestId);
    assert.deepEqual(JSON.parse(body ?? 'null'), {
      type: 'https://api.example.com/errors/unknown-symbol',
      title: 'Unknown symbol',
      status: 404,
      code: 'UNKNOWN_SYMBOL',
      detail: 'No traded market has this symbol.',
      requestId,
    });
  }
});

recordTest(
  'an answer in the millisecond of a delisting is built from the markets before it, the next from those after it',
  async (t) => {
    const { list, answer, rebuilt, seal } = await record(t);
    list({ symbol: 'ADAEUR' });
    const before = answer(5_000, '/v1/markets', 200);
    list(null);
    const then = answer(5_000, '/v1/markets', 200);
    await seal(minuteMs + 1_000);
    assert.match((await rebuilt(before)) ?? '', /ADAEUR/);
    assert.equal(await rebuilt(then), '{"markets":[]}');
  },
);
