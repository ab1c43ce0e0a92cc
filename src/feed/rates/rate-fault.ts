import { UpstreamError, type UpstreamErrorKind } from '../wire.ts';

/** The values that the sentence of each fault names. */
interface FaultValues {
  readonly implausible: object;
  /** The answer names a day that is none, or none at all. */
  readonly fixing_undated: object;
  readonly fixing_too_old: { readonly daysMax: number };
  readonly fixing_in_future: object;
  /** The day of the fixing, `YYYY-MM-DD`. */
  readonly fixing_older: { readonly fixing: string };
  readonly no_rates: object;
  readonly no_rate: { readonly currency: string };
  readonly several_rates: { readonly currency: string };
  readonly not_decimal: object;
  readonly incomplete: object;
  readonly not_one_day: object;
  readonly pointer_to_nothing: { readonly setting: string; readonly pointer: string };
  readonly no_ticker: object;
  readonly no_bid_or_ask: object;
  readonly crossed: object;
  /** Nothing that is of rates alone: no answer, or one that could not be read. */
  readonly failed: { readonly kind: UpstreamErrorKind; readonly detail: string };
}

type Code = keyof FaultValues;

/** Why a reading gave no rate, by its code, for whoever says it in another language. */
export type RateFault = { readonly [Each in Code]: { readonly code: Each; readonly values: FaultValues[Each] } }[Code];

type Sentences = {
  readonly [Each in Exclude<Code, 'failed'>]: readonly [
    kind: UpstreamErrorKind,
    says: (values: FaultValues[Each]) => string,
  ];
};

const sentences: Sentences = {
  implausible: ['refused', () => 'the rate is not plausible'],
  fixing_undated: ['malformed', () => 'the fixing has no readable date'],
  fixing_too_old: ['refused', ({ daysMax }) => `the fixing is over ${daysMax} days old`],
  fixing_in_future: ['refused', () => 'the fixing is dated in the future'],
  fixing_older: ['refused', ({ fixing }) => `the fixing of ${fixing} is older than the one in force`],
  no_rates: ['malformed', () => 'no list of rates'],
  no_rate: ['malformed', ({ currency }) => `no rate for ${currency}`],
  several_rates: ['malformed', ({ currency }) => `not exactly one rate for ${currency}`],
  not_decimal: ['malformed', () => 'rate or amount is not a decimal'],
  incomplete: ['malformed', () => 'not a complete document'],
  not_one_day: ['malformed', () => 'not exactly one day'],
  pointer_to_nothing: ['malformed', ({ setting, pointer }) => `${setting} "${pointer}" names no decimal in the answer`],
  no_ticker: ['unknown_symbol', () => 'the exchange gave no ticker'],
  no_bid_or_ask: ['malformed', () => 'no bid or no ask'],
  crossed: ['refused', () => 'bid is not positive or above ask'],
};

/** A reading of a rate that gave none. */
class RateFaultError extends UpstreamError {
  readonly fault: RateFault;

  constructor(kind: UpstreamErrorKind, message: string, fault: RateFault) {
    super(kind, message);
    this.fault = fault;
  }
}

/** Makes the error of a reading, by its code. */
export function rateFault<Each extends keyof Sentences>(code: Each, values: FaultValues[Each]): UpstreamError {
  const [kind, says] = sentences[code];
  return new RateFaultError(kind, says(values), { code, values } as RateFault);
}

/** The value. Throws what `rateFault` makes where there is none. */
export function requiredOf<Value, Each extends keyof Sentences>(
  value: Value | undefined,
  code: Each,
  values: FaultValues[Each],
): Value {
  if (value === undefined) throw rateFault(code, values);
  return value;
}

/** Gives the fault that an error is. */
export function faultOf(error: UpstreamError): RateFault {
  if (error instanceof RateFaultError) return error.fault;
  return { code: 'failed', values: { kind: error.kind, detail: error.message } };
}
