import { parseArgs } from 'node:util';

export interface Options<Name extends string> {
  readonly names: readonly Name[];
  readonly quick: boolean;
}

/** Reads the command line. Throws with one clear line when it is wrong. */
export function readOptions<Name extends string>(args: readonly string[], known: readonly Name[]): Options<Name> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const names = values.only?.split(',') ?? known;
  for (const name of names) {
    if (!known.some((each) => each === name)) throw new Error(`--only takes ${known.join(', ')}; not "${name}"`);
  }
  return { names: known.filter((name) => names.includes(name)), quick: values.quick };
}
