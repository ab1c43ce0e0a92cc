import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Proof } from '../history/query/prove.ts';
import type { DecimalString } from '../market/decimal.ts';
import { evidencePage } from './evidence.ts';

const term = { id: 'cfg_1', from: undefined, scope: 'service', subject: undefined, values: {} } as const;

const price: Proof['prices'][number] = {
  publishedAt: '2026-11-21T10:00:00.000Z',
  capturedAt: '2026-11-21T09:59:59.000Z',
  source: 'kraken',
  bid: '50000.0' as DecimalString,
  ask: '50000.1' as DecimalString,
  rate: null,
  terms: {
    version: 'cfg_1',
    fee: { term, value: '0.5' as DecimalString },
    margin: undefined,
    precision: undefined,
    rounding: undefined,
  },
};
const ticker = '{"symbol":"BTCEUR","buyPrice":"50250.2","sellPrice":"49750.0"}';

function pageOf(changed: Partial<Proof> = {}): string {
  const proof: Proof = {
    format: 'mdapi-proof-1',
    answer: {
      requestId: '6f1c2a9e4b7d4f08a3c5e1d2b4f60718',
      keyId: 'key_1',
      answeredAt: '2026-11-21T10:00:01.000Z',
      route: '/v1/ticker',
      symbol: 'BTCEUR',
      status: 200,
    },
    body: ticker,
    prices: [price],
    place: 0,
    path: [],
    segment: '1 4711 0 servings',
    previous: 'a1',
    links: '',
    head: 'c0ffee',
    seal: { day: '2026-11-21', due: null },
    timestamp: null,
    ...changed,
  };
  return evidencePage(proof, 'https://api.example.com', 'Europe/Prague');
}

describe('the evidence of an answer', () => {
  test('says how its one price came about, also where that is the only one of a list', () => {
    const list = { body: `{"tickers":[${ticker}]}` };
    for (const page of [pageOf(), pageOf(list)]) {
      for (const shown of ['50000.1', 'fee 0.5 %', '50250.2', '49750.0', '10:59:59', 'Client pays'])
        assert.ok(page.includes(shown), shown);
      assert.doesNotMatch(page, /prices\. The proof says/);
    }
  });

  test('counts several prices, and says nothing of prices where there are none', () => {
    const several = pageOf({ body: `{"tickers":[${ticker},${ticker}]}`, prices: [price, price] });
    assert.match(several, /The answer has 2 prices\./);
    assert.match(several, /Počet cen v odpovědi: 2\./);
    assert.doesNotMatch(several, /Client pays/);
    assert.doesNotMatch(pageOf({ body: '{}', prices: [] }), /Client pays|The answer has/);
  });

  test('names the seal of its day, or when there will be one, or says that retention deleted the way to it', () => {
    const states = [/This is the seal of 2026-11-21/, /which is after:[\s\S]*22 November 2026/, /was deleted/];
    const seals: readonly Proof['seal'][] = [
      { day: '2026-11-21', due: null },
      { day: null, due: '2026-11-22T00:00:00.000Z' },
      { day: null, due: null },
    ];
    for (const [index, seal] of seals.entries()) {
      const page = pageOf({ seal });
      assert.deepEqual(
        states.map((state) => state.test(page)),
        states.map((_, other) => other === index),
      );
      assert.match(page, /sealed segment 4711 of chain 1\./);
    }
  });

  test('shows what an answer holds as text, none of it as markup', () => {
    const page = pageOf({ body: '{"detail":"<b>"}', prices: [] });
    assert.ok(page.includes('&#60;b&#62;') && !page.includes('<b>'));
  });
});
