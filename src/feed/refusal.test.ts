import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { binanceRefusals } from './binance/refusals.ts';
import { bitstampRefusals } from './bitstamp/refusals.ts';
import { bitvavoRefusals } from './bitvavo/refusals.ts';
import { coinbaseRefusals } from './coinbase/refusals.ts';
import { coinmateRefusals } from './coinmate/refusals.ts';
import { krakenRefusals } from './kraken/refusals.ts';
import { okxRefusals } from './okx/refusals.ts';
import { type RefusalTable, understand } from './refusal.ts';

const now = new FakeClock('2026-11-21T10:00:00.000Z').now();
const inAMinute = now + 60_000;

/** The kind, and the wait in milliseconds where there is one. */
function read(table: RefusalTable, body: Record<string, unknown>, status?: number, headerMs?: number) {
  const said = { ...(table.read(body) ?? { words: '' }), status };
  const { kind, waitMs } = understand(table, said, now, headerMs);
  return waitMs === undefined ? kind : `${kind} ${waitMs}`;
}

test('each exchange’s own words mean what they mean, over REST and on its WebSocket (fault row 94)', () => {
  const sayings: readonly [RefusalTable, Record<string, unknown>, string, number?, number?][] = [
    [krakenRefusals, { error: ['EAPI:Rate limit exceeded'] }, 'rate'],
    [krakenRefusals, { error: ['EGeneral:Too many requests'] }, 'rate'],
    [krakenRefusals, { error: ['EGeneral:Temporary lockout'] }, 'ban 900000'],
    [krakenRefusals, { error: [`EService:Throttled: ${inAMinute / 1000}`] }, 'ban 60000'],
    [krakenRefusals, { error: ['EService:Unavailable'] }, 'maintenance'],
    [krakenRefusals, { error: ['EService:Busy'] }, 'maintenance'],
    [krakenRefusals, { error: ['EService:Market in cancel_only mode'] }, 'maintenance'],
    [krakenRefusals, { error: ['EQuery:Unknown asset pair'] }, 'market'],
    [krakenRefusals, { error: ['EQuery:Invalid asset pair'] }, 'market'],
    [krakenRefusals, { error: 'Currency pair not supported NOPE/EUR', success: false }, 'market'],
    [krakenRefusals, { error: ['EGeneral:Invalid arguments'] }, 'unclear'],
    [
      binanceRefusals,
      {
        code: '-1003',
        msg: `Way too much request weight used; IP banned until ${inAMinute}. Please use WebSocket Streams.`,
      },
      'ban 60000',
      418,
      120_000,
    ],
    [binanceRefusals, { code: -1003, msg: 'Too many requests.' }, 'rate 7000', 429, 7_000],
    [binanceRefusals, {}, 'ban 120000', 418, 120_000],
    [binanceRefusals, {}, 'rate 300000', 403],
    [binanceRefusals, { code: -1121, msg: 'Invalid symbol.' }, 'market', 400],
    [binanceRefusals, { code: -1100, msg: "Illegal characters found in parameter 'symbols'." }, 'unclear', 400],
    [binanceRefusals, { error: { code: 2, msg: 'Too many streams' }, id: 3 }, 'full'],
    [
      bitvavoRefusals,
      {
        errorCode: 105,
        error: `Your IP or API key has been banned for not respecting the rate limit. The ban expires at ${inAMinute}.`,
      },
      'ban 60000',
      403,
    ],
    [bitvavoRefusals, { errorCode: '105', error: 'Banned.', event: 'error' }, 'ban 900000'],
    [bitvavoRefusals, { errorCode: 110, error: 'Rate limit' }, 'rate 42000', 429, 42_000],
    [bitvavoRefusals, { errorCode: 112, error: '' }, 'rate 60000'],
    [bitvavoRefusals, { errorCode: 107, error: 'The matching engine is overloaded.' }, 'maintenance', 503],
    [bitvavoRefusals, { errorCode: 205, error: 'Invalid parameter: market' }, 'market', 400],
    [okxRefusals, { code: '50011', msg: 'Too Many Requests' }, 'rate', 429],
    [okxRefusals, { code: '50001', msg: 'Service temporarily unavailable' }, 'maintenance', 503],
    [okxRefusals, { code: '51001', msg: 'Instrument ID does not exist' }, 'market'],
    [okxRefusals, { event: 'error', code: '60018', msg: "channel:tickers,instId:X-EUR doesn't exist" }, 'market'],
    [okxRefusals, { event: 'error', code: '60012', msg: 'Illegal request: {}' }, 'unclear'],
    [okxRefusals, { event: 'error', code: '60014', msg: 'Requests too frequent' }, 'rate'],
    [coinbaseRefusals, { type: 'error', message: 'too many L2 streams requested in a single session' }, 'full'],
    [coinbaseRefusals, { type: 'error', message: 'Failed to subscribe', reason: 'level2 limit reached' }, 'full'],
    [coinbaseRefusals, { type: 'error', message: 'rate limit exceeded' }, 'rate'],
    [coinbaseRefusals, { message: 'Public rate limit exceeded' }, 'rate', 429],
    [coinbaseRefusals, { type: 'error', message: 'Failed to subscribe', reason: 'X-EUR is delisted' }, 'market'],
    [coinbaseRefusals, { message: 'NotFound' }, 'market', 404],
    [bitstampRefusals, { response_code: '400.002', response_explanation: 'Request rate limit exceeded.' }, 'rate', 400],
    [bitstampRefusals, { event: 'bts:error', data: { code: null, message: 'Bad subscription string.' } }, 'market'],
    [bitstampRefusals, { status: 'error', reason: 'Under maintenance', code: 'API0000' }, 'maintenance', 503],
    [coinmateRefusals, { error: true, errorMessage: 'Too many requests' }, 'rate 60000'],
    [coinmateRefusals, { error: true, errorMessage: 'No such currency pair' }, 'market'],
  ];
  for (const [table, body, expected, status, headerMs] of sayings)
    assert.equal(read(table, body, status, headerMs), expected, JSON.stringify(body));
});

test('an instant or a span that the words of a ban name is the wait, in whichever form, and nothing else is one (fault row 94)', () => {
  const table: RefusalTable = { read: ({ words }) => ({ words: String(words) }), rules: [] };
  const meaning = (words: string) => read(table, { words });
  for (const [words, expected] of [
    [`banned until ${inAMinute}`, 'ban 60000'],
    [`You are blocked. Retry after ${inAMinute / 1000}.`, 'ban 60000'],
    ['IP banned until 2026-11-21T10:01:00Z', 'ban 60000'],
    ['IP banned until 2026-11-21T11:01:00.000+01:00', 'ban 60000'],
    ['ban lifted at 2026-11-21 10:01:00 UTC', 'ban 60000'],
    ['Rate limit: try again in 60 seconds', 'ban 60000'],
    ['You are banned for 15 minutes', 'ban 900000'],
    [`Nothing before ${inAMinute} please, requests expire`, 'ban 60000'],
    ['banned', 'ban 300000'],
    ['banned until 1495937000000', 'ban 300000'],
    [`order 1${inAMinute} expires`, 'unclear'],
    [`start ${inAMinute} is wrong`, 'unclear'],
    ['a bandwidth of 10 urban miles', 'unclear'],
    ['', 'unclear'],
  ] as const)
    assert.equal(meaning(words), expected, words);
});
