/**
 * An exact fraction over BigInt: the arithmetic that the tests hold against ours. It shares nothing with the code under
 * test, neither a library nor a way of rounding.
 */
export interface Rational {
  readonly numerator: bigint;
  /** Above zero. */
  readonly denominator: bigint;
}

/** Reads plain notation only; throws on anything else. */
export function rational(text: string): Rational {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) throw new SyntaxError(`not in plain notation: ${text}`);
  const [, sign, whole, decimals = ''] = match;
  return { numerator: BigInt(`${sign}${whole}${decimals}`), denominator: 10n ** BigInt(decimals.length) };
}

function plus(a: Rational, b: Rational): Rational {
  return {
    numerator: a.numerator * b.denominator + b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  };
}

export function minus(a: Rational, b: Rational): Rational {
  return plus(a, { ...b, numerator: -b.numerator });
}

export function times(a: Rational, b: Rational): Rational {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator };
}

/** `b` is above zero. */
export function over(a: Rational, b: Rational): Rational {
  return { numerator: a.numerator * b.denominator, denominator: a.denominator * b.numerator };
}

/** Below zero, zero or above, as `a` is less than, equal to or greater than `b`. */
export function compare(a: Rational, b: Rational): number {
  const difference = minus(a, b).numerator;
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

/** `1 + percent / 100`, or with `−`. */
export function markedUp(percent: string): Rational {
  return plus(rational('1'), over(rational(percent), rational('100')));
}

export function markedDown(percent: string): Rational {
  return minus(rational('1'), over(rational(percent), rational('100')));
}

/** Exactly `places` decimals. `up` is away from zero, `down` towards it; zero has no sign. */
export function rounded(value: Rational, places: number, mode: 'up' | 'down' | 'half-even'): string {
  const negative = value.numerator < 0n;
  const scaled = (negative ? -value.numerator : value.numerator) * 10n ** BigInt(places);
  const whole = scaled / value.denominator;
  const twiceRest = (scaled % value.denominator) * 2n;
  const isUp = {
    up: twiceRest > 0n,
    down: false,
    'half-even': twiceRest > value.denominator || (twiceRest === value.denominator && whole % 2n === 1n),
  }[mode];
  const units = isUp ? whole + 1n : whole;
  const digits = units.toString().padStart(places + 1, '0');
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return negative && units > 0n ? `-${text}` : text;
}
