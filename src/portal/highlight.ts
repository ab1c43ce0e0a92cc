import { type Fragment, type Html, html } from '../html.ts';

/**
 * The languages that code is coloured in. Five short grammars serve these pages better than a highlighting library:
 * the libraries write their own HTML or come with a megabyte of languages.
 */
export type Language = keyof typeof grammars;

/** A comment, a name, a string, a number or constant, a word of the language. */
type Kind = 'c' | 'p' | 's' | 'n' | 'k';

const quoted = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`;
const number = '(?<![\\w.])-?\\d[\\d_]*(?:\\.\\d+)?\\b';

function words(list: string): string {
  return `\\b(?:${list.replaceAll(' ', '|')})\\b`;
}

/** One expression for all kinds; where several match, the first rule wins. */
function grammar(...rules: readonly (readonly [Kind, string])[]): RegExp {
  return new RegExp(rules.map(([kind, source]) => `(?<${kind}>${source})`).join('|'), 'gm');
}

const sh = grammar(
  ['c', '(?<=^|\\s)#.*$'],
  ['s', quoted],
  ['p', '\\$\\w+'],
  ['k', '^(?:curl|export|npm|npx|node|python3|pip)\\b'],
  ['n', '(?<=\\s)--?[a-zA-Z][\\w-]*'],
);

const tsWords =
  'import from export const let for of in if else try catch throw new async await function return interface type as instanceof while break process';

const pythonWords =
  'import from as def return while for in if elif else try except with raise and or not is class print continue break';

const grammars = {
  json: grammar(
    ['p', '"(?:[^"\\\\]|\\\\.)*"(?=\\s*:)'],
    ['s', '"(?:[^"\\\\]|\\\\.)*"'],
    ['n', `${number}|${words('true false null')}`],
  ),
  http: grammar(
    ['k', '^HTTP/1\\.1 \\d{3}[^\\n]*'],
    ['p', '^[A-Za-z-]+(?=: )|"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:)'],
    ['s', '(?<=": )"(?:[^"\\\\\\n]|\\\\.)*"'],
    ['n', '(?<=": )-?\\d+'],
  ),
  sh,
  console: sh,
  ts: grammar(
    ['c', '//.*$'],
    ['s', `${quoted}|\`[^\`]*\``],
    ['k', words(tsWords)],
    ['n', `${number}|${words('true false null undefined')}`],
  ),
  python: grammar(
    ['c', '#.*$'],
    ['s', `\\b[fb]?(?:${quoted})|${quoted}`],
    ['k', words(pythonWords)],
    ['n', `${number}|${words('True False None')}`],
  ),
};

/** Code with its parts marked for colours; the text is the same to the letter, and an unknown language has no colours. */
export function highlighted(language: string | undefined, text: string): Html {
  const name = language?.trim() ?? '';
  const expression = Object.hasOwn(grammars, name) ? grammars[name as Language] : undefined;
  if (expression === undefined) return html`${text}`;
  const pieces: Fragment[] = [];
  let at = 0;
  for (const match of text.matchAll(expression)) {
    const kind = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined)?.[0];
    pieces.push(text.slice(at, match.index), html`<span class="t-${kind}">${match[0]}</span>`);
    at = match.index + match[0].length;
  }
  return html`${pieces}${text.slice(at)}`;
}
