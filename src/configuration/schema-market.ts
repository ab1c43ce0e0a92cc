import { Type } from 'typebox';
import { connectorKinds } from '../feed/connectors.ts';
import {
  currency,
  duration,
  httpUrl,
  list,
  listOr,
  map,
  mapOrKey,
  oneOf,
  optionalText,
  percent,
  pointer,
  section,
  sourceId,
  sourceKind,
  symbol,
  text,
  threshold,
  webSocketUrl,
  wholeNumber,
} from './kinds.ts';

export const marketsSchema = section(
  {
    quotes: list(text(currency), {
      default: ['EUR'],
      minItems: 1,
      description: 'Quote currencies to offer; other markets are left out.',
    }),
    symbols: listOr('all', text(symbol), {
      default: 'all',
      description: 'Markets to offer in those quote currencies.',
      example: ['BTCEUR', 'ETHEUR'],
    }),
    delistAfter: duration(
      '24h',
      ['1h', '365d'],
      'How long every complete list of the exchange must lack a market, with no ticker from it, before it is delisted for good; never over a tenth of the markets.',
      { security: 'A list that stays faulty this long ends markets.' },
    ),
  },
  'The markets on offer.',
);

const kinds = Object.keys(connectorKinds);

export const sourcesSchema = list(
  mapOrKey('id', {
    id: text(sourceId),
    kind: Type.Optional(text(sourceKind)),
    urls: section({ rest: Type.Optional(text(httpUrl)), ws: Type.Optional(text(webSocketUrl)) }),
    not: list(text(currency), { default: [], description: '' }),
    assets: map(text(currency), text(currency), { default: {}, description: '' }),
    paused: Type.Boolean({ default: false, allowed: 'true or false' }),
  }),
  {
    default: ['kraken'],
    minItems: 1,
    description: `Where market data comes from, in order of preference: ids, or maps with \`id\`, \`kind\` (${kinds.join(', ')}; the id where left out), \`urls\` (\`rest\`, \`ws\`; the exchange’s own where left out), \`not\` (assets to leave out), \`assets\` (new names by the source’s) and \`paused\`.`,
    security: 'Whoever answers at these addresses makes your prices: https and wss outside a test.',
    example: [{ id: 'bitvavo', not: ['NEO'], assets: { LUNA: 'LUNC' } }],
  },
);

export const pricingSchema = section(
  {
    source: oneOf(['primary', 'median'], {
      default: 'primary',
      description:
        'Which sources make a price. `primary`: the first in order that is fresh, trading and not held. `median`: the medians of their bids and asks.',
    }),
    sources: map(text(symbol), list(text(sourceId), { default: [], minItems: 1, description: '' }), {
      default: {},
      description: 'Markets with a list of their own.',
      example: { BTCEUR: ['kraken'] },
    }),
    returnAfter: duration(
      '60s',
      ['1s', '1h'],
      'How long a better source must deliver without a break before it makes prices again.',
    ),
    feePercent: text(percent, { default: '0.5', description: 'Fee added to the ask and taken off the bid.' }),
    converted: map(text(currency), section({ via: text(currency), marginPercent: text(percent) }), {
      default: { CZK: { via: 'EUR', marginPercent: '1' } },
      description:
        'Converted quote currencies: each market quoted in `via`, one of `markets.quotes`, gets one more in this currency; the margin is added and taken off like the fee. `{}` for none.',
    }),
    pricePrecision: map(text(symbol), wholeNumber(undefined, [0, 18]), {
      default: {},
      description: 'Decimal places of converted markets, where not one less than those of the market they come from.',
      example: { BTCCZK: 0 },
    }),
  },
  'How client prices are made.',
);

export const guardSchema = section(
  {
    jumpPercent: text(threshold, {
      default: '10',
      description: 'Percent from the last good price of the last ten seconds beyond which a price is held.',
      security: 'The larger, the larger a mistake that clients get at once.',
    }),
    disagreePercent: text(threshold, {
      default: '2',
      description:
        'Percent that sources of one market may be apart; one that is further from two that agree makes no price.',
      security: 'The larger, the larger a mistake of one source that others could have shown.',
    }),
    ceilingPercent: text(threshold, {
      default: '100',
      description:
        'Percent from its last good price beyond which a source that is alone is taken only when an operator accepts it; 100 is double or half.',
    }),
    spreadPercent: text(threshold, {
      default: '10',
      description: 'Percent of the price from which a spread of five times the usual is held.',
    }),
    ratePercent: text(threshold, { default: '3', description: 'Percent that a rate may move under one fixing date.' }),
    confirmAfter: duration(
      '10s',
      ['1s', '5m'],
      'How long live and REST must agree on a held price; a second live source confirms it at once.',
    ),
  },
  'What holds improbable prices and rates back.',
);

export const ratesSchema = section(
  {
    source: oneOf(['cnb', 'ecb', 'json', 'exchange'], {
      default: 'cnb',
      description:
        'Daily fixing of the Czech National Bank or the European Central Bank, a number in a JSON document, or the mid price of an upstream market.',
    }),
    url: optionalText(httpUrl, {
      description: 'Address of the rate; required with `json`, not used with `exchange`.',
      whenAbsent: 'the bank’s own',
      security: 'Whoever answers there sets your prices: https, and a source you trust.',
      example: 'https://api.cnb.cz/cnbapi/exrates/daily?lang=EN',
    }),
    pointer: optionalText(pointer, {
      description: 'With `json`: where the document has the rate, in converted currency per unit of `via`.',
      whenAbsent: 'none',
      example: '/rates/CZK',
    }),
    market: optionalText(symbol, {
      description: 'With `exchange`: the market whose mid price is the rate.',
      whenAbsent: 'none',
      example: 'EURCZK',
    }),
    refresh: duration('5m', ['1s', '24h'], 'How often the rate is read.'),
    validFor: duration(
      '96h',
      ['10s', '240h'],
      'Age of the last successful refresh at which converted markets lose their price.',
      { security: 'The longer, the older the rate you may trade at.' },
    ),
  },
  'The conversion rate.',
);

export const feedSchema = section(
  {
    staleAfter: duration(
      '10s',
      ['1s', '5m'],
      'Silence after which the REST fallback takes over from the live connection, and checks a silent market.',
    ),
    pingEvery: duration(
      '1500ms',
      ['500ms', '1m'],
      'How often the live connection is pinged; under `feed.transportTimeout`. Every 1.5 s where it says more: a feed without a sign of life for 5 s is `degraded`.',
    ),
    transportTimeout: duration('10s', ['1s', '1m'], 'Time without any frame after which the connection is closed.'),
    reconnectMin: duration(
      '500ms',
      ['50ms', '1m'],
      'First back-off before reconnecting; it doubles with each failure, and the wait is random below it.',
    ),
    reconnectMax: duration('30s', ['1s', '10m'], 'Longest back-off.'),
    healthyAfter: duration('30s', ['1s', '10m'], 'Time of healthy data after which the back-off starts over.'),
    fallbackPoll: duration('1s', ['500ms', '1m'], 'REST polling interval while the live connection cannot be used.', {
      security: 'Polling faster than the exchange allows can lock your address out.',
    }),
    catalogueReload: duration(
      '10m',
      ['10s', '24h'],
      'How often the exchange’s list of markets is loaded; a market missing from two loads in a row that sends no ticker is paused.',
    ),
    requestTimeout: duration(
      '5s',
      ['500ms', '1m'],
      'Time for a REST answer of an exchange or rate source; three times that for the catalogue.',
    ),
    frameBytesMax: wholeNumber(
      16_777_216,
      [65_536, 67_108_864],
      'Largest WebSocket frame accepted from any exchange, whose catalogue can be one, of about 400 bytes a pair; where an exchange sends small frames only, less is accepted.',
      { security: 'Bounds the memory a broken upstream can take.' },
    ),
  },
  'Timing of the upstream connection.',
);
