import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { TickerReading } from '../../board/board.ts';
import { Page } from '../../board/page.ts';
import { ServiceBoard } from '../../board/service-board.ts';
import type { EpochMs } from '../../ground/clock.ts';
import { FeedStatus } from '../../market/service-status.ts';
import type { Answer } from '../answer.ts';
import { readModelOf } from '../read-model.testing.ts';
import type { Resource } from '../resource.ts';
import { markets } from './markets.ts';
import { openapi } from './openapi.ts';
import { status } from './status.ts';
import { ticker } from './ticker.ts';
import { tickers } from './tickers.ts';
import { time } from './time.ts';

const now = Date.UTC(2026, 10, 23, 12, 0, 0, 7) as EpochMs;
const page = new Page('{}');
const living = new ServiceBoard(new FeedStatus(), new FakeClock());
const feed = ['X-Feed-Status', 'degraded'];

/** Boards that give what a test says, and remember what they were asked for. */
function boards(given: { page?: Page; reading?: TickerReading } = {}) {
  const { page: body, reading = { kind: 'unknown_symbol' } } = given;
  const asked: unknown[] = [];
  const giving =
    <Given>(value: Given) =>
    (...parameters: unknown[]) => {
      asked.push(...parameters);
      return value;
    };
  const board = { markets: giving(body), tickers: giving(body), ticker: giving(reading) };
  const service = { feedStatus: () => 'degraded' as const, status: (at: EpochMs) => living.status(at) };
  return { asked, model: readModelOf({ board, service }) };
}

const ask = (resource: Resource, { model }: ReturnType<typeof boards>, query = '') =>
  resource.answer({ now, query, headers: {} }, model);

const dataOf = (extraHeaders: readonly string[], symbol?: string): Answer => ({
  kind: 'page',
  page,
  contentType: 'application/json',
  cacheControl: 'private, no-cache',
  vary: 'Accept-Encoding',
  extraHeaders,
  symbol,
});

const problemOf = (answer: Answer) =>
  answer.kind === 'problem'
    ? [answer.code, answer.detail, answer.retryAfterSeconds, answer.extraHeaders]
    : assert.fail('no problem');

test('each resource is at its path, answers in maintenance only where the contract says so, and is shed or not', () => {
  const facts = [markets, status, ticker, tickers, time, openapi({})].map((each) => [
    ...[each.route, each.answersInMaintenance, each.isNeverShed],
  ]);
  assert.deepEqual(facts, [
    ['/v1/markets', false, undefined],
    ['/v1/status', true, true],
    ['/v1/ticker', false, undefined],
    ['/v1/tickers', false, undefined],
    ['/v1/time', false, true],
    ['/openapi/v1.json', true, undefined],
  ]);
});

test('markets and tickers are the pages of the instant, or not there yet', () => {
  const ready = boards({ page });
  assert.deepEqual(ask(markets, ready), dataOf([]));
  assert.deepEqual(ask(tickers, ready), dataOf(feed));
  assert.deepEqual(ready.asked, [now, now]);
  const notLoaded = 'The list of markets has not been loaded yet.';
  assert.deepEqual(problemOf(ask(markets, boards())), ['MARKET_DATA_UNAVAILABLE', notLoaded, 5, []]);
  assert.deepEqual(problemOf(ask(tickers, boards())), [
    'MARKET_DATA_UNAVAILABLE',
    'No market has a price now.',
    5,
    feed,
  ]);
});

describe('the ticker', () => {
  test('of one symbol is its page', () => {
    const ready = boards({ reading: { kind: 'page', page, symbol: 'BTCEUR' } as TickerReading });
    assert.deepEqual(ask(ticker, ready, 'symbol=BTCEUR&x=1'), dataOf(feed, 'BTCEUR'));
    assert.deepEqual(ready.asked, ['BTCEUR', now]);
  });

  test('needs the symbol once', () => {
    const missing = ['INVALID_PARAMETER', 'The parameter "symbol" is missing.', undefined, []];
    const twice = ['INVALID_PARAMETER', 'The parameter "symbol" is given more than once.', undefined, []];
    assert.deepEqual(problemOf(ask(ticker, boards())), missing);
    assert.deepEqual(problemOf(ask(ticker, boards(), 'Symbol=BTCEUR')), missing);
    assert.deepEqual(problemOf(ask(ticker, boards(), 'symbol=BTCEUR&symbol=BTCEUR')), twice);
  });

  test('of a symbol that is malformed or cannot be decoded, or of no market, is said to be so', () => {
    const known = [
      [
        { kind: 'malformed_symbol' },
        'symbol=x',
        'INVALID_PARAMETER',
        /malformed: it is the base and the quote currency/,
      ],
      [{ kind: 'page', page, symbol: 'BTCEUR' }, 'symbol=%', 'INVALID_PARAMETER', /malformed/],
      [{ kind: 'unknown_symbol' }, 'symbol=ABCEUR', 'UNKNOWN_SYMBOL', /^No traded market has this symbol/],
    ] as const;
    for (const [reading, query, code, detail] of known) {
      const [answered, text] = problemOf(ask(ticker, boards({ reading: reading as TickerReading }), query));
      assert.equal(answered, code);
      assert.match(text as string, detail);
    }
  });

  test('without a price says why, and when to ask again', () => {
    const detailOf = (reading: object) => {
      const [code, detail, retryAfter, headers] = problemOf(
        ask(ticker, boards({ reading: reading as TickerReading }), 'symbol=BTCCZK'),
      );
      assert.deepEqual([code, retryAfter, headers], ['MARKET_DATA_UNAVAILABLE', 5, feed]);
      return detail as string;
    };
    assert.match(detailOf({ kind: 'unpriced', reason: 'no_ticker' }), /has no price now\.$/);
    assert.match(detailOf({ kind: 'unpriced', reason: 'held' }), /held back for review for too long\.$/);
    assert.match(detailOf({ kind: 'unpriced', reason: 'no_rate' }), /the rate its prices are converted with/);
    assert.match(detailOf({ kind: 'unpriced', reason: 'rounds_to_zero' }), /too small to be quoted now\.$/);
    assert.match(detailOf({ kind: 'not_loaded' }), /^The list of markets/);
  });
});

test('time and status are of the instant of the request', () => {
  const textOf = (answer: Answer) => (answer.kind === 'text' ? JSON.parse(answer.text) : assert.fail('no text'));
  assert.deepEqual(textOf(ask(time, boards())), { serverTime: '2026-11-23T12:00:00.007Z', serverTimeMs: now });
  assert.deepEqual(textOf(ask(status, boards())), living.status(now));
});

test('the document is ASCII, for any origin, and made once', () => {
  const document = openapi({ title: 'č' });
  const answer = ask(document, boards());
  assert.equal(ask(document, boards()), answer);
  if (answer.kind !== 'page') assert.fail('no page');
  const { page: made, ...rest } = answer;
  assert.equal(made.as('identity').body, '{"title":"\\u010d"}');
  assert.deepEqual(rest, {
    kind: 'page',
    contentType: 'application/json',
    cacheControl: 'public, max-age=300',
    vary: 'Accept-Encoding',
    extraHeaders: ['Access-Control-Allow-Origin', '*'],
  });
});
