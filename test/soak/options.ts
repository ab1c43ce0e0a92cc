import { parseArgs } from 'node:util';

export interface SoakOptions {
  readonly minutes: number;
  readonly clients: number;
  readonly seed: number;
  /** Whether to write `docs/contributors/soak.md` and `soak.svg` beside it; otherwise the report goes to the terminal alone. */
  readonly writeDocs: boolean;
}

/** Reads the command line. Throws with one clear line when it is wrong. */
export function readOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '20' },
      clients: { type: 'string', default: '42' },
      seed: { type: 'string', default: '1' },
      'write-docs': { type: 'boolean', default: false },
    },
  });
  return {
    minutes: number('minutes', values.minutes, 0.5, 10_000),
    clients: Math.round(number('clients', values.clients, 14, 1_000)),
    seed: Math.round(number('seed', values.seed, 0, 2 ** 32 - 1)),
    writeDocs: values['write-docs'],
  };
}

function number(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} takes a number from ${min} to ${max}, not "${text}"`);
}
