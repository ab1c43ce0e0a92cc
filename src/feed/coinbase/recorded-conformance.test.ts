import type { MarketSymbol } from '../../market/symbol.ts';
import { recordedConformance } from '../recorded-conformance.testing.ts';
import { type RecordedAnswer, readRecording, recordedText } from '../recordings.testing.ts';

const at = 1_618_677_817;
const { frames } = readRecording('coinbase-ws-2021-04-17.jsonl');
const crv = { bid: '3.2967', ask: '3.3024', high24h: '3.6227', low24h: '3.1571', volume24h: '914332.06000000' };
const nmr = { bid: '66.9083', ask: '67.0209', high24h: '74.5', low24h: '60.4695', volume24h: '25745.11100000' };

/** Prices over REST were not recorded: these are the members that Coinbase documents, with recorded values. */
function pricesOverRest(id: string, { bid, ask, high24h, low24h, volume24h }: typeof crv): RecordedAnswer[] {
  const time = '2021-04-17T16:43:37.200251Z';
  const stats = { open: low24h, high: high24h, low: low24h, last: bid, volume: volume24h, volume_30d: '1' };
  const ticker = { trade_id: 1, price: bid, size: '1', time, bid, ask, volume: volume24h };
  return [
    { at, request: `/products/${id}/stats`, body: JSON.stringify(stats) },
    { at, request: `/products/${id}/ticker`, body: JSON.stringify(ticker) },
  ];
}

const common = { pricePrecision: 4, tickSize: '0.0001', status: 'trading' } as const;

recordedConformance({
  kind: 'coinbase',
  recording: {
    // Trades are of channels to which the connector does not subscribe.
    frames: frames.filter(({ text }) => !/"type":"(?:last_)?match"/.test(text)),
    answers: [
      { at, request: '/products', body: recordedText('coinbase-products-2021-04-17.json') },
      ...pricesOverRest('CRV-EUR', crv),
      ...pricesOverRest('NMR-EUR', nmr),
    ],
  },
  quotes: ['EUR'],
  listed: 29,
  trading: '"status":"online"',
  acknowledges: 'set',
  acknowledgement: /"type":"subscriptions"/,
  refusal: (name) => `{"type":"error","message":"Failed to subscribe","reason":"${name} is not a valid product"}`,
  polls: 'statistics',
  markets: [
    { ...common, symbol: 'CRVEUR' as MarketSymbol, name: 'CRV-EUR', amountPrecision: 2, live: crv, polled: crv },
    { ...common, symbol: 'NMREUR' as MarketSymbol, name: 'NMR-EUR', amountPrecision: 3, live: nmr, polled: nmr },
  ],
});
