import { Type } from '../../contract/schema-builder.ts';
import { connectorKinds } from '../../feed/connectors.ts';
import * as kind from '../kinds.ts';
import {
  duration,
  item,
  list,
  listOr,
  map,
  oneOf,
  optional,
  section,
  setting,
  text,
  truth,
  wholeNumber,
} from '../kinds.ts';

export const markets = section('The markets on offer.', {
  quotes: setting(
    list(text(kind.currency), { default: ['EUR'], minItems: 1 }),
    'Quote currencies to offer; other markets are left out.',
  ),
  symbols: setting(listOr('all', text(kind.symbol)), {
    description: 'Markets to offer in those quote currencies.',
    example: ['BTCEUR', 'ETHEUR'],
  }),
  max: setting(wholeNumber(5_000, [1, 100_000]), {
    description:
      'How many markets a source lists at most, converted ones not counted. Known ones stay; of others those that the exchange names first are taken, and the rest waits for the operator.',
    security: 'A list of invented pairs costs memory and time up to this bound.',
  }),
  delistAfter: setting(duration('24h', ['1h', '365d']), {
    description:
      'How long every complete list of the exchange must lack a market, or have it as ended, with no ticker from it, before it is delisted for good; never over a tenth of the markets.',
    security: 'A list that stays faulty this long ends markets.',
  }),
});

const sourceKinds = Object.keys(connectorKinds).join(', ');

const source = item(
  {
    id: text(kind.sourceId),
    kind: Type.Optional(text(kind.sourceKind)),
    urls: item(
      { rest: Type.Optional(text(kind.httpUrl)), ws: Type.Optional(text(kind.webSocketUrl)) },
      { default: {} },
    ),
    not: list(text(kind.currency), { default: [] }),
    assets: map(text(kind.currency), text(kind.currency)),
    streamsPerSession: Type.Optional(wholeNumber(undefined, [1, 10_000])),
    paused: truth(),
  },
  { bareKey: 'id' },
);

export const sources = setting(list(source, { default: ['kraken'], minItems: 1 }), {
  description: `Where market data comes from, in order of preference: ids, or maps with \`id\`, \`kind\` (${sourceKinds}; the id where left out), \`urls\` (\`rest\`, \`ws\`; the exchange’s own where left out), \`not\` (assets to leave out), \`assets\` (new names by the source’s), \`streamsPerSession\` (markets on one live session, where the exchange bounds them; 16 for coinbase) and \`paused\`.`,
  security: 'Whoever answers at these addresses makes your prices: https and wss outside a test.',
  example: [{ id: 'bitvavo', not: ['NEO'], assets: { LUNA: 'LUNC' } }],
});

export const pricing = section('How client prices are made.', {
  source: setting(
    oneOf(['primary', 'median'], 'primary'),
    'Which sources make a price. `primary`: the first in order that is fresh, trading and not held. `median`: the medians of their bids and asks.',
  ),
  sources: setting(map(text(kind.symbol), list(text(kind.sourceId), { default: [], minItems: 1 })), {
    description: 'Markets with a list of their own.',
    example: { BTCEUR: ['kraken'] },
  }),
  returnAfter: setting(
    duration('60s', ['1s', '1h']),
    'How long a better source must deliver without a break before it makes prices again.',
  ),
  feePercent: setting(text(kind.percent, { default: '0.5' }), 'Fee added to the ask and taken off the bid.'),
  converted: setting(
    map(text(kind.currency), item({ via: text(kind.currency), marginPercent: text(kind.percent) }), {
      CZK: { via: 'EUR', marginPercent: '1' },
    }),
    'Converted quote currencies: each market quoted in `via`, one of `markets.quotes`, gets one more in this currency; the margin is added and taken off like the fee. `{}` for none.',
  ),
  pricePrecision: setting(map(text(kind.symbol), wholeNumber(undefined, [0, 18])), {
    description: 'Decimal places of converted markets, where not one less than those of the market they come from.',
    example: { BTCCZK: 0 },
  }),
});

export const rates = section('The conversion rate.', {
  source: setting(
    oneOf(['cnb', 'ecb', 'json', 'exchange'], 'cnb'),
    'Daily fixing of the Czech National Bank or the European Central Bank, a number in a JSON document, or the mid price of an upstream market.',
  ),
  url: optional(text(kind.httpUrl), {
    description: 'Address of the rate; required with `json`, not used with `exchange`.',
    whenAbsent: 'the bank’s own',
    security: 'Whoever answers there sets your prices: https, and a source you trust.',
    example: 'https://api.cnb.cz/cnbapi/exrates/daily?lang=EN',
  }),
  pointer: optional(text(kind.pointer), {
    description: 'With `json`: where the document has the rate, in converted currency per unit of `via`.',
    whenAbsent: 'none',
    example: '/rates/CZK',
  }),
  market: optional(text(kind.symbol), {
    description: 'With `exchange`: the market whose mid price is the rate.',
    whenAbsent: 'none',
    example: 'EURCZK',
  }),
  refresh: setting(duration('5m', ['1s', '24h']), 'How often the rate is read.'),
  compare: optional(
    item(
      {
        source: oneOf(['cnb', 'ecb', 'json', 'exchange', 'off']),
        url: Type.Optional(text(kind.httpUrl)),
        pointer: Type.Optional(text(kind.pointer)),
        market: Type.Optional(text(kind.symbol)),
      },
      { bareKey: 'source' },
    ),
    {
      description:
        'The second source that confirms or contradicts the rate and never makes one: a map with `source` (cnb, ecb, json, exchange), `url`, `pointer` and `market` as above, or `off`.',
      whenAbsent:
        'the Czech National Bank for rates to CZK and the European Central Bank for those of EUR, whichever is not the source',
      security:
        'With `off` only an operator can confirm a rate that moved by more than `guard.rateCeilingPercent`, and nothing the first one.',
      example: { source: 'ecb' },
    },
  ),
  validFor: setting(duration('96h', ['10s', '240h']), {
    description: 'Age of the last successful refresh at which converted markets lose their price.',
    security: 'The longer, the older the rate you may trade at.',
  }),
});

export const guard = section('What holds improbable prices and rates back.', {
  jumpPercent: setting(text(kind.threshold, { default: '10' }), {
    description: 'Percent from the last good price of the last ten seconds beyond which a price is held.',
    security: 'The larger, the larger a mistake that clients get at once.',
  }),
  disagreePercent: setting(text(kind.threshold, { default: '2' }), {
    description:
      'Percent that sources of one market may be apart; one that is further from two that agree makes no price.',
    security: 'The larger, the larger a mistake of one source that others could have shown.',
  }),
  ceilingPercent: setting(
    text(kind.threshold, { default: '100' }),
    'Percent from its last good price beyond which a source that is alone is taken only when an operator accepts it; 100 is double or half.',
  ),
  spreadPercent: setting(
    text(kind.threshold, { default: '10' }),
    'Percent of the price from which a spread of five times the usual is held.',
  ),
  ratePercent: setting(text(kind.threshold, { default: '3' }), {
    description:
      'Percent from the rate in force beyond which a rate is held: its next dated fixing confirms it, an hour of equal readings where its source gives no dates, a second source at once.',
    security: 'The larger, the larger a mistake of the rate that clients get at once.',
  }),
  rateCeilingPercent: setting(text(kind.threshold, { default: '20' }), {
    description:
      'Percent from the rate in force beyond which only a second source (`rates.compare`) or an operator confirms a rate.',
    security: 'The larger, the larger a mistake of the rate that only has to last.',
  }),
  confirmAfter: setting(
    duration('10s', ['1s', '5m']),
    'How long live and REST must agree on a held price; a second live source confirms it at once.',
  ),
});
