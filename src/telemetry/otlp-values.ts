/** What records of this service are made by. */
export const scope = { name: 'mdapi' };

/** Attributes in the form of OTLP's JSON encoding; those without a value are left out. */
export function attributes(values: Readonly<Record<string, string | number | undefined>>): object[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === 'string' ? { stringValue: value } : numberValue(value) }];
  });
}

function numberValue(value: number): object {
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Nanoseconds since the Unix epoch, of milliseconds with a fraction. */
export function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * 1e6)));
}
