import { type DecimalString, toBig } from '../../market/decimal.ts';
import type { Row } from './watched.ts';

/** What the table can be sorted by, in the order the key goes through them. */
export const sortings = ['symbol', 'change 24h', 'spread', 'age'] as const;

export type Sorting = (typeof sortings)[number];

export interface Order {
  readonly by: Sorting;
  readonly isReversed: boolean;
}

/** The most remarkable first: the greatest change, the widest spread, the oldest price. What has none of it comes last. */
export function ordered(rows: readonly Row[], { by, isReversed }: Order): readonly Row[] {
  const direction = isReversed ? -1 : 1;
  const compare = comparisons[by];
  return rows.toSorted((left, right) => compare(left, right, direction) || bySymbol(left, right, 1));
}

type Comparison = (left: Row, right: Row, direction: number) => number;

const bySymbol: Comparison = (left, right, direction) => {
  if (left.market.symbol === right.market.symbol) return 0;
  return left.market.symbol < right.market.symbol ? -direction : direction;
};

const comparisons: Readonly<Record<Sorting, Comparison>> = {
  symbol: bySymbol,
  'change 24h': byDecimal((row) => row.market.ticker?.priceChangePercent24h),
  spread: byDecimal((row) => row.spreadPercent),
  age(left, right, direction) {
    const [one, other] = [left.market.ticker?.timestampMs, right.market.ticker?.timestampMs];
    return missingLast(one, other) ?? direction * (one! - other!);
  },
};

function byDecimal(of: (row: Row) => string | undefined): Comparison {
  return (left, right, direction) => {
    const [one, other] = [of(left), of(right)];
    const missing = missingLast(one, other);
    return missing ?? direction * toBig(other as DecimalString).cmp(toBig(one as DecimalString));
  };
}

/** `undefined` when both are there. */
function missingLast(one: unknown, other: unknown): number | undefined {
  if (one !== undefined && other !== undefined) return undefined;
  return Number(one === undefined) - Number(other === undefined);
}
