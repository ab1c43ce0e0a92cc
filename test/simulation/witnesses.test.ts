import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Witnessed } from './clients.ts';
import { Findings } from './rules.ts';
import { ToldQuotes } from './told-quotes.ts';
import { Witnesses } from './witnesses.ts';
import type { Truth } from './witnessing.ts';

const start = Date.parse('2026-11-24T10:00:00.000Z');
const longAgo = Number.NEGATIVE_INFINITY;

/** A calm world of two processes, in which Kraken quoted BTCEUR at 100 and 101 from the beginning on. */
function calmWorld(over: Partial<Truth> = {}) {
  const quotes = new ToldQuotes('0.5', '1', '24.315');
  const statistics = { high: '120.0', low: '80.0', volume: '7.5' };
  const quote = { bid: '100.0', ask: '101.0' };
  quotes.quoted('kraken', 'BTCEUR', { ...quote, truth: quote, isMuted: false, ...statistics }, 0);
  const findings = new Findings(
    () => 0,
    () => {},
  );
  const truth: Truth = {
    quotes,
    processes: 2,
    offMsMax: 0,
    heardAtMs: 600_000,
    firstHeardAtMs: undefined,
    isQuiet: false,
    clocksSetAtMs: longAgo,
    sharedSinceMs: longAgo,
    oneBoardSinceMs: longAgo,
    processesStartedAtMs: longAgo,
    storeLostAtMs: undefined,
    symbols: ['BTCEUR'],
    isAllowed: () => true,
    isInvented: () => false,
    steadySinceMs: () => longAgo,
    servableSinceMs: () => Number.POSITIVE_INFINITY,
    convertibleSinceMs: () => Number.POSITIVE_INFINITY,
    offMs: () => 0,
    undisturbedSinceMs: () => longAgo,
    revokedAtMs: () => undefined,
    mayBeDelisted: () => false,
    wasUnsaved: () => false,
    ...over,
  };
  return {
    witnesses: new Witnesses({ truth, findings, epochMs: start }),
    found: () => findings.violations.map(({ rule }) => rule),
  };
}

/** Of the minute that begins as the world is ten minutes old. */
const headers = { 'x-ratelimit-limit': '60', 'x-ratelimit-reset': '1795515060', 'retry-after': '60' };

function answer(target: string, body: object, over: Partial<Witnessed> = {}): Witnessed {
  const known = { by: 'process-1', key: 'k', askedAtMs: 600_000, answeredAtMs: 600_005 };
  const text = JSON.stringify(body);
  return { status: 200, headers, body: text, shown: text, target, ...known, ...over };
}

const ticker = (over: object = {}) => ({
  symbol: 'BTCEUR',
  buyPrice: '101.6',
  sellPrice: '99.5',
  high24h: '120.0',
  low24h: '80.0',
  volume24h: '7.5',
  timestampMs: start + 600_000,
  ...over,
});
const one = '/v1/ticker?symbol=BTCEUR';
const status = (state: string, ageMs = 0) => ({
  components: { ticker: state },
  serverTimeMs: start + 600_000,
  lastUpdatedAtMs: start + 600_000 - ageMs,
});

test('a price that nobody quoted is found, and one that was quoted is not', () => {
  const { witnesses, found } = calmWorld();
  witnesses.saw(answer(one, ticker()));
  assert.deepEqual(found(), []);
  witnesses.saw(answer(one, ticker({ buyPrice: '106.6' })));
  assert.deepEqual(found(), ['honest price']);
});

test('a price that one source had is found where the law does not let it be believed', () => {
  const { witnesses, found } = calmWorld({
    isAllowed: ({ source }, symbol) => source !== 'kraken' || symbol !== 'BTCEUR',
  });
  witnesses.saw(answer(one, ticker()));
  assert.deepEqual(found(), ['honest price']);
});

test('statistics that its source did not have are found', () => {
  for (const over of [{ high24h: '121.0' }, { low24h: '79.0' }, { volume24h: '7.4' }]) {
    const { witnesses, found } = calmWorld();
    witnesses.saw(answer(one, ticker(over)));
    assert.deepEqual(found(), ['statistics'], JSON.stringify(over));
  }
});

test('a price that is old, or none, is found where a source has been there for long, and later where the world is quiet', () => {
  const seen = (ageMs: number, over: Partial<Truth> = {}) => {
    const { witnesses, found } = calmWorld({ servableSinceMs: () => 600_000, ...over });
    witnesses.saw(answer(one, ticker({ timestampMs: start + 600_000 - ageMs })));
    return found();
  };
  assert.deepEqual(seen(17_000), []);
  assert.deepEqual(seen(17_001), ['fresh price']);
  assert.deepEqual(seen(32_000, { isQuiet: true }), []);
  assert.deepEqual(seen(60_000, { servableSinceMs: () => 600_001 }), []);
  const none = (over: Partial<Truth>, problem?: string) => {
    const { witnesses, found } = calmWorld(over);
    const body = { tickers: [], code: problem };
    witnesses.saw(
      answer('/v1/tickers', body, {
        status: problem === undefined ? 200 : 503,
        headers: { ...headers, 'retry-after': '5' },
      }),
    );
    return found().filter((rule) => rule !== 'documented');
  };
  assert.deepEqual(none({ servableSinceMs: () => 600_000 }), ['fresh price']);
  assert.deepEqual(none({ servableSinceMs: () => 600_000 }, 'MARKET_DATA_UNAVAILABLE'), ['fresh price']);
  assert.deepEqual(none({ servableSinceMs: () => 600_001 }), []);
  assert.deepEqual(none({ servableSinceMs: () => 600_000, mayBeDelisted: () => true }), []);
});

test('a status that is newer than the newest price, or operational over old ones, is found', () => {
  const seen = (state: string, priceAgeMs: number, ageMs: number, askedAtMs = 600_000, over: Partial<Truth> = {}) => {
    const { witnesses, found } = calmWorld(over);
    witnesses.saw(answer('/v1/status', status(state, ageMs)));
    const before = found().length;
    const tickers = [ticker({ timestampMs: start + 600_000 - priceAgeMs })];
    witnesses.saw(answer('/v1/tickers', { tickers }, { askedAtMs, answeredAtMs: askedAtMs + 5 }));
    return found().slice(before);
  };
  assert.deepEqual(seen('operational', 16_000, 0), []);
  assert.deepEqual(seen('degraded', 16_001, 0), ['age of the prices']);
  assert.deepEqual(seen('degraded', 30_000, 20_000), []);
  assert.deepEqual(seen('operational', 30_000, 20_000), ['age of the prices']);
  assert.deepEqual(seen('operational', 30_000, 20_000, 602_000), [], 'of a later moment');
  assert.deepEqual(seen('operational', 30_000, 20_000, 599_000), [], 'of an earlier moment');
  assert.deepEqual(seen('operational', 30_000, 0, 600_000, { isQuiet: true }), []);
});

test('a status that knows of no price is found once one was served that was saved', () => {
  const seen = (askedAtMs: number, over: Partial<Truth> = {}) => {
    const { witnesses, found } = calmWorld(over);
    const never = { ...status('outage'), lastUpdatedAtMs: null };
    witnesses.saw(answer('/v1/status', never));
    assert.deepEqual(found(), []);
    witnesses.saw(answer('/v1/tickers', { tickers: [ticker()] }));
    const before = found().length;
    witnesses.saw(answer('/v1/status', never, { askedAtMs }));
    return found().slice(before);
  };
  assert.deepEqual(seen(606_000), ['never forgotten']);
  assert.deepEqual(seen(605_000), []);
  assert.deepEqual(seen(606_000, { wasUnsaved: () => true }), []);
  assert.deepEqual(seen(606_000, { clocksSetAtMs: 500_000 }), [], 'the clock was set back, maybe');
});

test('whoever is refused is told when to come back: at the end of the window, in five seconds, within an hour', () => {
  const seen = (status: number, retry: string | undefined, code = '', over: Partial<Truth> = {}) => {
    const { witnesses, found } = calmWorld(over);
    const told = { 'x-ratelimit-reset': '1795515060', ...(retry && { 'retry-after': retry }) };
    witnesses.saw(
      answer('/v1/status', { code }, { status, headers: told, askedAtMs: 1_200_000, answeredAtMs: 1_200_000 }),
    );
    return found().filter((rule) => rule === 'retry after').length === 0;
  };
  // The window ends when the world is 1,260 s old.
  assert.equal(1_795_515_060_000 - start, 660_000);
  const at = (askedAtMs: number, retry: string, over: Partial<Truth> = {}) => {
    const { witnesses, found } = calmWorld(over);
    const told = { 'x-ratelimit-reset': '1795515060', 'retry-after': retry };
    witnesses.saw(answer('/v1/status', {}, { status: 429, headers: told, askedAtMs, answeredAtMs: askedAtMs }));
    return !found().includes('retry after');
  };
  assert.deepEqual(
    [at(630_000, '30'), at(630_000, '28'), at(630_000, '32'), at(659_900, '0')],
    [true, false, false, false],
  );
  assert.equal(at(630_000, '28', { offMs: () => 2_000 }), true);
  assert.equal(at(630_000, '28', { undisturbedSinceMs: () => 629_500 }), true, 'it stood still');
  assert.deepEqual(
    [seen(503, '5', 'MARKET_DATA_UNAVAILABLE'), seen(503, '6', 'MARKET_DATA_UNAVAILABLE')],
    [true, false],
  );
  assert.deepEqual([seen(503, '3600', 'SERVICE_MAINTENANCE'), seen(503, '3601', 'SERVICE_MAINTENANCE')], [true, false]);
  assert.deepEqual(
    [seen(503, undefined, 'SERVICE_MAINTENANCE'), seen(503, '0', 'SERVICE_MAINTENANCE')],
    [false, false],
  );
});

test('an older ticker for the same key is found, of another process too while all share what they served', () => {
  const older = ticker({ timestampMs: start + 599_000 });
  const seen = (over: Partial<Truth>) => {
    const { witnesses, found } = calmWorld(over);
    witnesses.saw(answer(one, ticker()));
    witnesses.saw(answer(one, older, { by: 'process-2', askedAtMs: 601_000, answeredAtMs: 601_005 }));
    return found();
  };
  assert.deepEqual(seen({}), ['never back']);
  assert.deepEqual(seen({ oneBoardSinceMs: 590_000 }), [], 'Redis was away');
});

test('an older ticker of a process that was started again is found, unless Redis forgot what it had served', () => {
  const seen = (sharedSinceMs: number) => {
    const { witnesses, found } = calmWorld({ oneBoardSinceMs: sharedSinceMs, undisturbedSinceMs: () => 602_000 });
    witnesses.saw(answer(one, ticker()));
    const later = { askedAtMs: 608_000, answeredAtMs: 608_005 };
    witnesses.saw(answer(one, ticker({ timestampMs: start + 599_000 }), later));
    return found();
  };
  assert.deepEqual(seen(longAgo), ['never back']);
  assert.deepEqual(seen(601_000), []);
});

test('an older ticker after a start is found, unless the only process could not save the newer one', () => {
  const seen = (over: Partial<Truth>) => {
    const { witnesses, found } = calmWorld({ undisturbedSinceMs: () => 602_000, wasUnsaved: () => true, ...over });
    witnesses.saw(answer(one, ticker()));
    witnesses.saw(answer(one, ticker({ timestampMs: start + 599_000 }), { askedAtMs: 603_000, answeredAtMs: 603_005 }));
    return found();
  };
  assert.deepEqual(seen({ processes: 1 }), []);
  assert.deepEqual(seen({ processes: 1, wasUnsaved: () => false }), ['never back']);
  assert.deepEqual(seen({ processes: 2 }), ['never back']);
  assert.deepEqual(seen({ processes: 1, undisturbedSinceMs: () => longAgo }), ['never back']);
});

test('after a clock was set, a ticker may go back by twice its error, and no further', () => {
  const seen = (byMs: number) => {
    const { witnesses, found } = calmWorld({ offMsMax: 4_000, clocksSetAtMs: 590_000 });
    witnesses.saw(answer(one, ticker()));
    const older = ticker({ timestampMs: start + 600_000 - byMs });
    witnesses.saw(answer(one, older, { by: 'process-2', askedAtMs: 601_000, answeredAtMs: 601_005 }));
    return found();
  };
  assert.deepEqual(seen(8_000), []);
  assert.deepEqual(seen(8_001), ['never back']);
});

test('a request that is refused for overload is found', () => {
  const { witnesses, found } = calmWorld();
  witnesses.saw(answer(one, { code: 'SERVICE_OVERLOADED' }, { status: 503 }));
  assert.ok(found().includes('never shed'));
});

test('a status that is better than the truth is found', () => {
  const seen = (state: string, silentMs: number, ageMs = 0) => {
    const { witnesses, found } = calmWorld({ heardAtMs: 600_000 - silentMs });
    witnesses.saw(answer('/v1/status', status(state, ageMs)));
    return found();
  };
  assert.deepEqual(seen('operational', 5_500), []);
  assert.deepEqual(seen('operational', 6_500), ['true status']);
  assert.deepEqual(seen('degraded', 300_000), []);
  assert.deepEqual(seen('degraded', 320_000), ['true status']);
  assert.deepEqual(seen('degraded', 0, 320_000), ['true status']);
});

test('`operational` after the last word of the source that made the prices is found, though others go on', () => {
  const seen = (state: string, silentMs: number) => {
    const { witnesses, found } = calmWorld({ firstHeardAtMs: 600_000 - silentMs });
    witnesses.saw(answer('/v1/status', status(state)));
    return found();
  };
  assert.deepEqual(seen('operational', 5_500), []);
  assert.deepEqual(seen('operational', 6_500), ['true status']);
  assert.deepEqual(seen('degraded', 6_500), []);
});

test('a tag that names two texts is found, and what a client still has by a 304 counts as served', () => {
  const tagged = (over: Partial<Witnessed>) => ({ headers: { ...headers, etag: '"a"' }, ...over });
  const second = { by: 'process-2', askedAtMs: 601_000, answeredAtMs: 601_005 };
  const seen = (body: object, over: Partial<Witnessed>) => {
    const { witnesses, found } = calmWorld();
    witnesses.saw(answer(one, ticker(), tagged({})));
    witnesses.saw(answer(one, body, tagged({ ...second, ...over })));
    return found().filter((rule) => rule !== 'documented' && rule !== 'statistics');
  };
  assert.deepEqual(seen(ticker(), {}), []);
  assert.deepEqual(seen(ticker({ volume24h: '1' }), {}), ['entity tags']);
  assert.deepEqual(seen(ticker(), { status: 304, body: '' }), []);
  assert.deepEqual(seen(ticker({ timestampMs: start + 599_000 }), { status: 304, body: '' }), [
    'entity tags',
    'never back',
  ]);
  assert.deepEqual(seen({}, { status: 304, body: '', shown: undefined }), ['entity tags']);
});

test('a request beyond the limit is found, over all processes, unless they counted alone in that minute', () => {
  const seen = (sharedSinceMs: number) => {
    const { witnesses, found } = calmWorld({ sharedSinceMs });
    const at = { askedAtMs: 655_000, answeredAtMs: 655_005 };
    for (let count = 1; count <= 61; count++)
      witnesses.saw(answer('/v1/other', {}, { by: `process-${(count % 2) + 1}`, ...at }));
    return found().filter((rule) => rule !== 'documented');
  };
  assert.deepEqual(seen(longAgo), ['exact limits']);
  assert.deepEqual(seen(599_000), ['exact limits']);
  assert.deepEqual(seen(601_000), []);
});

test('a key that is answered two seconds after it was revoked is found, half a second after it is not', () => {
  const seen = (revokedAtMs: number) => {
    const { witnesses, found } = calmWorld({ revokedAtMs: () => revokedAtMs });
    witnesses.saw(answer(one, ticker()));
    return found();
  };
  assert.deepEqual(seen(599_500), []);
  assert.deepEqual(seen(598_000), ['revoked keys']);
});

test('an answer that the document does not describe is found, and so is a market that is delisted', () => {
  const { witnesses, found } = calmWorld();
  witnesses.saw(answer(one, {}, { status: 500 }));
  assert.deepEqual(found(), ['documented']);
  witnesses.saw(answer('/v1/markets', { markets: [{ symbol: 'BTCEUR', status: 'delisted' }] }));
  assert.deepEqual(found(), ['documented', 'never delisted']);
});
