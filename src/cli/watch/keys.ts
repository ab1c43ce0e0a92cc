/** What somebody at the table can want. */
export type Wish = 'quit' | 'sort' | 'reverse' | 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last';

const wishes: ReadonlyMap<string, Wish> = new Map([
  ['q', 'quit'],
  ['Q', 'quit'],
  // Ctrl-C and, at a terminal the end of input, Ctrl-D.
  ['\u0003', 'quit'],
  ['\u0004', 'quit'],
  ['s', 'sort'],
  ['r', 'reverse'],
  ['\u001b[A', 'up'],
  ['k', 'up'],
  ['\u001b[B', 'down'],
  ['j', 'down'],
  ['\u001b[5~', 'page-up'],
  ['\u001b[6~', 'page-down'],
  [' ', 'page-down'],
  ['\u001b[H', 'first'],
  ['\u001b[1~', 'first'],
  ['g', 'first'],
  ['\u001b[F', 'last'],
  ['\u001b[4~', 'last'],
  ['G', 'last'],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys that are no letters begin with one
const key = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Z])|[\s\S]/g;

/** The wishes in what was typed, in order; keys without a meaning are left out. */
export function wishesIn(typed: string): Wish[] {
  return (typed.match(key) ?? []).flatMap((pressed) => wishes.get(pressed.replace('\u001bO', '\u001b[')) ?? []);
}
