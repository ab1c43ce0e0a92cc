import { Type } from 'typebox';
import { duration, list, listOr, map, oneOf, optionalText, text, wholeNumber } from './schema-kinds.ts';

export const exchangeSchema = Type.Object(
  {
    id: oneOf(['kraken'], {
      default: 'kraken',
      description: 'The upstream exchange, which decides the protocol spoken.',
    }),
    urls: Type.Object(
      {
        rest: text('http-url', {
          default: 'https://api.kraken.com',
          description: 'The exchange’s REST address, without path.',
          security: 'Whoever answers there makes your prices: https outside a test.',
        }),
        ws: text('ws-url', {
          default: 'wss://ws.kraken.com/v2',
          description: 'The exchange’s WebSocket address.',
          security: 'As for `exchange.urls.rest`: wss outside a test.',
        }),
      },
      { description: 'Where the exchange is. Point both at the stand-in exchange to rehearse an outage.' },
    ),
    quotes: list(text('currency', { description: 'One quote currency.' }), {
      default: ['EUR'],
      minItems: 1,
      description: 'Quote currencies to offer. Markets quoted otherwise are left out.',
    }),
    symbols: listOr('all', text('symbol', { description: 'One market.' }), {
      default: 'all',
      minItems: 1,
      description: 'Markets to offer: `all` in the quote currencies above, or a list.',
      examples: [['BTCEUR', 'ETHEUR']],
    }),
  },
  { description: 'The upstream exchange.' },
);

const convertedSchema = Type.Object({
  via: text('currency', { description: 'The quote currency the trade is executed in, one of `exchange.quotes`.' }),
  marginPercent: text('decimal', {
    unit: 'percent',
    below: 100,
    description: 'Currency margin, added when a client buys and taken off when a client sells.',
  }),
});

export const pricingSchema = Type.Object(
  {
    feePercent: text('decimal', {
      default: '0.5',
      unit: 'percent',
      below: 100,
      description: 'Standard fee, added to the ask when a client buys and taken off the bid when a client sells.',
    }),
    converted: map(text('currency', { description: 'The currency clients see.' }), convertedSchema, {
      default: { CZK: { via: 'EUR', marginPercent: '1' } },
      description:
        'Quote currencies made by conversion: each market quoted in `via` gets one more market in this currency. `marginPercent` is in percent. `{}` for none.',
    }),
    pricePrecision: map(
      text('symbol', { description: 'The market.' }),
      wholeNumber({ minimum: 0, maximum: 18, description: 'Decimal places.' }),
      {
        default: {},
        unit: 'decimal places',
        description:
          'Decimal places of the prices of a converted market, in place of one less than those of the market it is made from.',
        examples: [{ BTCCZK: 0 }],
      },
    ),
  },
  { description: 'How client prices are made.' },
);

export const ratesSchema = Type.Object(
  {
    source: oneOf(['cnb', 'ecb', 'json', 'exchange'], {
      default: 'cnb',
      description:
        'Where the conversion rate comes from: the Czech National Bank’s or the European Central Bank’s daily fixing, a number in any JSON document, or the mid price of an upstream market.',
    }),
    url: optionalText('http-url', {
      description: 'Address of the rate. Required with `json`, not used with `exchange`.',
      whenAbsent: 'the bank’s own address with `cnb` and `ecb`',
      security: 'Whoever answers there sets your prices: https, and a source you trust.',
      examples: ['https://api.cnb.cz/cnbapi/exrates/daily?lang=EN'],
    }),
    pointer: optionalText('json-pointer', {
      description:
        'JSON pointer to the rate in the document: units of the converted currency per unit of `via`. With `json` only, where it is required.',
      whenAbsent: 'none',
      examples: ['/rates/CZK'],
    }),
    market: optionalText('symbol', {
      description: 'The upstream market whose mid price is the rate. With `exchange` only, where it is required.',
      whenAbsent: 'none',
      examples: ['EURCZK'],
    }),
    refresh: duration({
      default: '5m',
      atLeast: '1s',
      atMost: '24h',
      description: 'How often the rate is read.',
    }),
    validFor: duration({
      default: '96h',
      atLeast: '10s',
      atMost: '240h',
      description:
        'Age of the last successful refresh at which the rate is no longer used: converted markets then have no price.',
      security: 'The longer, the older the rate you may trade at.',
    }),
  },
  { description: 'The conversion rate.' },
);

export const feedSchema = Type.Object(
  {
    staleAfter: duration({
      default: '10s',
      atLeast: '1s',
      atMost: '5m',
      description:
        'Time without a price update after which a live connection is ended and the fallback takes over; a market silent for as long is checked over REST.',
    }),
    pingEvery: duration({
      default: '5s',
      atLeast: '500ms',
      atMost: '1m',
      description: 'How often the live connection is pinged; shorter than `feed.transportPatience`.',
    }),
    transportPatience: duration({
      default: '10s',
      atLeast: '1s',
      atMost: '1m',
      description: 'Time without any sign of life after which the connection is cut.',
    }),
    reconnectMin: duration({
      default: '500ms',
      atLeast: '50ms',
      atMost: '1m',
      description:
        'Longest wait before the first attempt to connect again. It doubles with each failure; the actual wait is random below it.',
    }),
    reconnectMax: duration({
      default: '30s',
      atLeast: '1s',
      atMost: '10m',
      description: 'What that wait grows to at most.',
    }),
    healthyAfter: duration({
      default: '30s',
      atLeast: '1s',
      atMost: '10m',
      description: 'Healthy data for this long before the wait starts small again.',
    }),
    fallbackPoll: duration({
      default: '1s',
      atLeast: '500ms',
      atMost: '1m',
      description: 'How often tickers are polled over REST while the live connection is not to be relied on.',
      security: 'Faster than the exchange allows, and it may lock your address out.',
    }),
    catalogueReload: duration({
      default: '10m',
      atLeast: '10s',
      atMost: '24h',
      description:
        'How often the exchange’s list of markets is loaded. A market missing from three loads in a row is delisted for good.',
    }),
    requestTimeout: duration({
      default: '5s',
      atLeast: '500ms',
      atMost: '1m',
      description: 'Time a REST answer of the exchange or of a rate source may take; the catalogue three times that.',
    }),
    frameBytesMax: wholeNumber({
      default: 4_194_304,
      minimum: 65_536,
      maximum: 67_108_864,
      unit: 'bytes',
      description: 'Largest WebSocket frame taken from the exchange.',
      security: 'Bounds the memory a broken upstream can take.',
    }),
  },
  { description: 'How the feed watches over its connection.' },
);
