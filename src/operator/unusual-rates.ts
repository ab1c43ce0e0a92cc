import { toBig } from '../market/decimal.ts';

const unusualPercent = '5';

/** Says of each fee or margin, in percent by its name, that is larger than usual what it does to clients. */
export function unusualRates(rates: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(rates).flatMap(([what, percent]) => {
    if (percent === undefined || percent === 'inherit' || toBig(percent as never).lt(unusualPercent)) return [];
    return `A ${what} of ${percent} % is unusual: clients pay ${percent} % more and receive ${percent} % less.`;
  });
}

/** Names every fee and margin of the configuration. */
export function ratesOf(pricing: { feePercent: string; converted: ReadonlyMap<string, { marginPercent: string }> }) {
  const margins = [...pricing.converted].map(([quote, { marginPercent }]) => [`margin for ${quote}`, marginPercent]);
  return { fee: pricing.feePercent, ...(Object.fromEntries(margins) as Record<string, string>) };
}
