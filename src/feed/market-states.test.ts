import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurrencyCode } from '../market/symbol.ts';
import { readExchangeInfo, symbolStates } from './binance/connector.ts';
import { readMarkets as readBitstamp, tradingStates } from './bitstamp/connector.ts';
import { marketStates, readMarkets as readBitvavo } from './bitvavo/connector.ts';
import { productStates, readProducts } from './coinbase/messages.ts';
import { pairStates, readAssetPairs } from './kraken/messages.ts';
import { type ListedPair, type StateTable, selectMarkets } from './market-listing.ts';
import { instrumentStates, readInstruments } from './okx/connector.ts';
import { recordedText } from './recordings.testing.ts';

/** Each exchange's words for what may come back, and for what will not. */
const words: Readonly<Record<string, { states: StateTable; paused: string; ended: string; read: Read }>> = {
  binance: {
    states: symbolStates,
    paused: 'AUCTION_MATCH CANCEL_ONLY END_OF_DAY HALT POST_TRADING PRE_TRADING',
    ended: 'BREAK',
    read: (status) => readExchangeInfo({ symbols: [{ symbol: 'B', status }] }),
  },
  bitstamp: {
    states: tradingStates,
    paused: '',
    ended: 'Disabled',
    read: (trading) => readBitstamp([{ market_symbol: 'b', trading }]),
  },
  bitvavo: {
    states: marketStates,
    paused: 'auction auctionMatching cancelOnly halted',
    ended: '',
    read: (status) => readBitvavo([{ market: 'B', status }]),
  },
  coinbase: {
    states: productStates,
    paused: 'offline',
    ended: 'delisted internal',
    read: (status) => readProducts([{ id: 'B-EUR', status }]),
  },
  kraken: {
    states: pairStates,
    paused: 'cancel_only limit_only maintenance post_only reduce_only work_in_progress',
    ended: 'delisted',
    read: (status) => readAssetPairs({ B: { wsname: 'B/EUR', base: 'B', quote: 'ZEUR', status } }),
  },
  okx: {
    states: instrumentStates,
    paused: 'post_only preopen rebase settling',
    ended: 'suspend test',
    read: (state) => readInstruments([{ instType: 'SPOT', instId: 'B', state }]),
  },
};
type Read = (state: string) => readonly ListedPair[];

for (const [exchange, { states, paused, ended, read }] of Object.entries(words)) {
  test(`each state of ${exchange} is known as one that trades, may come back, or has ended; a new one pauses (fault row 95)`, () => {
    const said = (status: string) =>
      Object.keys(states)
        .filter((state) => read(state)[0]?.status === status)
        .toSorted()
        .join(' ');
    assert.deepEqual([said('paused'), said('ended')], [paused, ended]);
    assert.equal(said('trading').split(' ').length, 1);
    for (const unknown of ['never_heard_of', 'toString', '']) assert.equal(read(unknown)[0]?.status, 'paused');
  });
}

test('of Binance’s recorded list one symbol is in BREAK and has ended, and 36 are markets (fault row 95)', () => {
  const pairs = readExchangeInfo(JSON.parse(recordedText('binance-exchange-info-eur-2021-10-12.json')));
  const quotes = [...new Set(pairs.map(({ quote }) => quote))] as CurrencyCode[];
  const { markets, skipped } = selectMarkets(pairs, { quotes, symbols: 'all' });
  const count = (status: string) => markets.filter((market) => market.status === status).length;
  assert.deepEqual([count('trading'), count('paused'), count('ended'), skipped.length], [36, 0, 1, 0]);
});
