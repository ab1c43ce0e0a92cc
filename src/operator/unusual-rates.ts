import { toBig } from '../market/decimal.ts';

const unusualPercent = '5';

/** A fee or margin that is larger than usual. */
export interface UnusualRate<What extends string = string> {
  readonly what: What;
  readonly percent: string;
}

/** Finds each fee or margin, in percent by its name, that is larger than usual. */
export function unusualRates<What extends string>(
  rates: Readonly<Partial<Record<What, string | undefined>>>,
): UnusualRate<What>[] {
  return Object.entries(rates).flatMap(([what, percent]) => {
    if (typeof percent !== 'string' || percent === 'inherit' || toBig(percent as never).lt(unusualPercent)) return [];
    return [{ what: what as What, percent }];
  });
}

/** Says what an unusual rate does to clients. */
export function unusualText({ what, percent }: UnusualRate): string {
  return `A ${what} of ${percent} % is unusual: clients pay ${percent} % more and receive ${percent} % less.`;
}

/** Names every fee and margin of the configuration. */
export function ratesOf(pricing: {
  feePercent: string;
  converted: ReadonlyMap<string, { marginPercent: string }>;
}): Readonly<Record<string, string>> {
  const margins = [...pricing.converted].map(([quote, { marginPercent }]) => [`margin for ${quote}`, marginPercent]);
  return { fee: pricing.feePercent, ...Object.fromEntries(margins) };
}
