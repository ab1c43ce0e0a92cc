import { toBig } from '../market/decimal.ts';

/** A fee or margin, in percent. */
type Rate = readonly [what: string, percent: string | undefined];

interface Pricing {
  readonly feePercent: string;
  readonly converted: ReadonlyMap<string, { readonly marginPercent: string }>;
}

const unusualPercent = '5';

/** Says of each fee or margin that is larger than usual what it does to clients. */
export function unusualRates(rates: readonly Rate[]): string[] {
  return rates.flatMap(([what, percent]) => {
    if (percent === undefined || percent === 'inherit' || toBig(percent as never).lt(unusualPercent)) return [];
    return `A ${what} of ${percent} % is unusual: clients pay ${percent} % more and receive ${percent} % less.`;
  });
}

/** Every fee and margin of the configuration. */
export function ratesOf({ feePercent, converted }: Pricing): readonly Rate[] {
  const margins = [...converted].map(([quote, { marginPercent }]) => [`margin for ${quote}`, marginPercent] as const);
  return [['fee', feePercent], ...margins];
}
