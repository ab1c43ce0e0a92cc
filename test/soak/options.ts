import { parseArgs } from 'node:util';
import { type DialectName, dialectNames } from '../../exchange-simulator/dialects.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly clients: number;
  /** A second, of all clients together. */
  readonly requests: number;
  readonly seed: number;
  /** The exchanges that are stood in for, in order of preference; faults come to each in turn. */
  readonly sources: readonly DialectName[];
  /**
   * Whether to write `docs/contributors/soak.md` and `soak.svg` beside it; otherwise the report goes to the terminal
   * alone.
   */
  readonly writeDocs: boolean;
}

/** Reads the command line. Throws with one clear line when it is wrong. */
export function readOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '20' },
      clients: { type: 'string', default: '42' },
      requests: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      sources: { type: 'string', default: 'kraken' },
      'write-docs': { type: 'boolean', default: false },
    },
  });
  return {
    minutes: number('minutes', values.minutes, 0.5, 10_000),
    clients: Math.round(number('clients', values.clients, 14, 1_000)),
    requests: number('requests', values.requests, 1, 10_000),
    seed: Math.round(number('seed', values.seed, 0, 2 ** 32 - 1)),
    sources: values.sources.split(',').map(dialectNamed),
    writeDocs: values['write-docs'],
  };
}

function dialectNamed(name: string): DialectName {
  const known = dialectNames.find((dialect) => dialect === name);
  if (known === undefined) throw new Error(`--sources takes ${dialectNames.join(', ')}, not "${name}"`);
  return known;
}

function number(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} takes a number from ${min} to ${max}, not "${text}"`);
}
