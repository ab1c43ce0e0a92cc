import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../../ground/clock.ts';
import { type AcceptedTicker, valueNames } from '../../market/ticker-acceptance.ts';
import { Publication } from './publication.ts';
import { type StreamListener, StreamReader, StreamWriter } from './stream.ts';

test('answers are read as they were noted, in whatever order they were asked, and each piece without the one before', () => {
  const stream = new StreamWriter();
  const publication = new Publication();
  stream.reset();
  const noted = [1, 2 ** 31, 127, 128, 2 ** 31 - 1, 2 ** 40, 2 ** 50, 3].map((request, index) => ({
    at: (2_000_000_000_000 + index) as EpochMs,
    askedAt: (2_000_000_000_000 - (request % 7)) as EpochMs,
    keyId: `key_${index % 3}`,
    route: '/v1/ticker',
    symbol: index % 2 === 0 ? 'BTCEUR' : '',
    status: index % 4 === 0 ? 200 : 429,
    text: index % 4 === 0 ? '' : 'RATE_LIMIT_EXCEEDED Too many requests – wait.',
    request,
  }));
  const read = [noted.slice(0, 3), noted.slice(3)].flatMap((some) => {
    for (const { at, ...serving } of some) {
      stream.time(at);
      stream.serving(serving);
    }
    return publication.read(stream.take()).rows.servings;
  });
  assert.deepEqual(
    read,
    noted.map((serving) => ({ ...serving, sub: 0, feedAgeMs: 0 })),
  );
});

test('of a ticker every value arrives as it was sent, also one that came later or is absent again', () => {
  const received: AcceptedTicker[] = [];
  const listener = { ticker: (_market: number, _source: number, ticker: AcceptedTicker) => received.push(ticker) };
  const ignored = new Proxy(listener, { get: (known, name) => Reflect.get(known, name) ?? (() => {}) });
  const reader = new StreamReader(ignored as unknown as StreamListener);
  const stream = new StreamWriter();
  stream.time(5_000 as EpochMs);
  const full = Object.fromEntries(valueNames.map((name, index) => [name, `${index}.50`]));
  const sent = [full, ...valueNames.map((name) => ({ ...full, [name]: undefined })), full, full].map(
    (values) => ({ ...values, capturedAt: 4_990 }) as unknown as AcceptedTicker,
  );
  for (const [index, ticker] of sent.entries()) stream.ticker(0, 1, ticker, sent[index - 1]);
  reader.read(stream.take());
  assert.deepEqual(received, sent);
});
