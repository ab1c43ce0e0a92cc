import Type from 'typebox';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import * as fields from '../operator/fields.ts';
import { acceptableRate, RateSchema, type RateView, rateView, rateViews } from '../operator/rate.ts';
import type { Store } from '../store/store.ts';
import { type Asked, type Described, noBody, operation, strictObject } from './operation.ts';
import type { AdminParts, Management } from './parts.ts';
import { Problem } from './problems.ts';

const RateListSchema = fields.named('RateList', 'The conversion rates.', {
  rates: fields.listOf(RateSchema, 'One for each converted quote currency.'),
});

const quoteParams = Type.Object({
  quote: part.text('The currency that is converted to, in any case.', 'CZK', {
    minLength: 2,
    maxLength: 12,
    pattern: '^[A-Za-z0-9]+$',
  }),
});

const changing = { access: 'operator', params: quoteParams, answer: RateSchema, problems: ['CONFLICT'] } as const;

/** All rates as they are now. */
export function allRates({ configuration, market, feed }: RateParts, now: EpochMs): RateView[] {
  return rateViews(market.markets, configuration.pricing.converted, feed.rates(), now);
}

interface RateParts extends Pick<AdminParts, 'configuration' | 'feed'> {
  readonly market: Pick<AdminParts['market'], 'markets'>;
}

export const rateOperations = {
  readRates: operation({
    path: '/api/rates',
    summary: 'Conversion rates',
    description:
      'The rates of converted markets, their age and how long they may be used, what the second source says, and what is held.',
    answer: RateListSchema,
    handle: ({ now }, management) => ({ rates: allRates(management, now) }),
  }),
  acceptRate: operation({
    path: '/api/rates/:quote/accept',
    summary: 'Take the rate that is held',
    description:
      'It is in force at once; where none is held, the one in force that nothing has confirmed is confirmed. `mid` names what was seen: where another is held by now, nothing is taken.',
    ...changing,
    body: strictObject('What is accepted.', {
      mid: Type.Optional(part.decimal('The rate that was seen; without it whichever is held now.', '26.15')),
    }),
    async handle({ params, body, ...asked }, management) {
      const quote = quoteOf(management, params.quote);
      const mid = acceptableRate(bodyOf(management, quote, asked.now));
      if (mid === undefined) throw new Problem('CONFLICT', `Nothing of the rate of ${quote} is doubted.`);
      if (body.mid !== undefined && body.mid !== mid)
        throw new Problem('CONFLICT', `The rate of ${quote} that is doubted is now ${mid}.`);
      return changed((rates) => rates.accept(quote, mid, asked.now), quote, asked, management);
    },
  }),
  holdRate: switching(
    {
      path: '/api/rates/:quote/hold',
      summary: 'Keep the rate in force',
      description:
        'It stays in force whatever comes, until it is released or its validity ends, and counts as confirmed. Repeating it changes nothing.',
    },
    (rates, quote, now) => rates.setHeld(quote, now),
  ),
  releaseRate: switching(
    {
      path: '/api/rates/:quote/release',
      summary: 'Release a rate',
      description: 'Ends the operator’s hold; the next reading is judged as usual. Repeating it changes nothing.',
    },
    (rates, quote) => rates.setHeld(quote, undefined),
  ),
};

type Change = (rates: Store['rates'], quote: CurrencyCode, now: EpochMs) => Promise<unknown>;

function switching(described: Described, change: Change) {
  return operation({
    ...described,
    ...changing,
    body: noBody,
    async handle({ params, ...asked }, management) {
      return changed(change, quoteOf(management, params.quote), asked, management);
    },
  });
}

/** A converted quote currency, written in any case. Throws `NOT_FOUND`. */
function quoteOf({ configuration }: Management, written: string): CurrencyCode {
  const quote = written.toUpperCase() as CurrencyCode;
  if (configuration.pricing.converted.has(quote)) return quote;
  throw new Problem('NOT_FOUND', 'No market is converted into this currency. GET /api/rates lists the rates.');
}

function bodyOf({ configuration, market, feed }: Management, quote: CurrencyCode, now: EpochMs): RateView {
  const { via } = configuration.pricing.converted.get(quote)!;
  const read = feed.rates().find((each) => each.quote === quote);
  return rateView(market.markets, { quote, via }, read, now);
}

/** Makes a change in the store. Gives the rate as it is then. */
async function changed(
  change: Change,
  quote: CurrencyCode,
  { store, now }: Pick<Asked, 'store' | 'now'>,
  management: Management,
): Promise<RateView> {
  await change(store.rates, quote, now);
  await management.changes.look();
  return bodyOf(management, quote, now);
}
