import Big from 'big.js';
import type { DecimalString } from '../../market/decimal.ts';

/** Its quotients end after 18 decimals, far beyond the digits of any fixing. */
const Exact = Big();
Exact.DP = 18;
Exact.RM = Big.roundHalfEven;

/** `dividend / divisor` in its shortest form: exact where it has at most 18 decimals, half-even in the 18th otherwise. */
export function quotient(dividend: DecimalString | Big, divisor: DecimalString | Big | 2): DecimalString {
  return new Exact(dividend).div(divisor).toFixed() as DecimalString;
}
