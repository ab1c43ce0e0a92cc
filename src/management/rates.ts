import Type from 'typebox';
import * as part from '../contract/schema-parts.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import * as fields from '../operator/fields.ts';
import { acceptableRate, RateSchema, type RateView, rateView } from '../operator/rate.ts';
import type { Store } from '../store/store.ts';
import { proposedInstead } from './approvals.ts';
import { type Asked, noBody, operation, strictObject } from './operation.ts';
import type { Management } from './parts.ts';
import { Problem } from './problems.ts';
import { allRates } from './views.ts';

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
    canWait: true,
    body: strictObject('What is accepted.', {
      mid: Type.Optional(part.decimal('The rate that was seen; without it whichever is held now.', '26.15')),
    }),
    async handle({ params, body, ...asked }, management) {
      const quote = quoteOf(management, params.quote);
      const mid = acceptableRate(bodyOf(management, quote, asked.now));
      if (mid === undefined) throw new Problem('CONFLICT', `Nothing of the rate of ${quote} is doubted.`);
      if (body.mid !== undefined && body.mid !== mid)
        throw new Problem('CONFLICT', `The rate of ${quote} that is doubted is now ${mid}.`);
      const proposed = await proposedInstead({ action: 'rate.accept', quote, mid }, asked, management);
      if (proposed !== undefined) return proposed;
      return changed((rates) => rates.accept(quote, mid, asked.now), quote, asked, management);
    },
  }),
  holdRate: operation({
    path: '/api/rates/:quote/hold',
    summary: 'Keep the rate in force',
    description:
      'It stays in force whatever comes, until it is released or its validity ends, and counts as confirmed. Repeating it changes nothing.',
    ...changing,
    body: noBody,
    async handle({ params, ...asked }, management) {
      const quote = quoteOf(management, params.quote);
      return changed((rates) => rates.setHeld(quote, asked.now), quote, asked, management);
    },
  }),
  releaseRate: operation({
    path: '/api/rates/:quote/release',
    summary: 'Release a rate',
    description: 'Ends the operator’s hold; the next reading is judged as usual. Repeating it changes nothing.',
    ...changing,
    canWait: true,
    body: noBody,
    async handle({ params, ...asked }, management) {
      const quote = quoteOf(management, params.quote);
      const isHeld = (await asked.store.rates.list()).some((each) => each.quote === quote && each.heldAt !== undefined);
      const change = { action: 'rate.release', quote } as const;
      const proposed = isHeld ? await proposedInstead(change, asked, management) : undefined;
      if (proposed !== undefined) return proposed;
      return changed((rates) => rates.setHeld(quote, undefined), quote, asked, management);
    },
  }),
};

type Change = (rates: Store['rates'], quote: CurrencyCode, now: EpochMs) => Promise<unknown>;

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
