import { type Fragment, type Html, html } from '../html.ts';

/** The languages that code is shown in. Anything else is shown without colours. */
export type Language = 'http' | 'json' | 'python' | 'sh' | 'ts';

/** A comment, a name, a string, a number or constant, a word of the language. */
type Kind = 'c' | 'p' | 's' | 'n' | 'k';

const quoted = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`;

function words(...list: readonly string[]): string {
  return `\\b(?:${list.join('|')})\\b`;
}

function grammar(rules: readonly (readonly [Kind, string])[]): RegExp {
  return new RegExp(rules.map(([kind, source]) => `(?<${kind}>${source})`).join('|'), 'gm');
}

const number = '(?<![\\w.])-?\\d[\\d_]*(?:\\.\\d+)?\\b';

const grammars: Readonly<Record<Language, RegExp>> = {
  json: grammar([
    ['p', '"(?:[^"\\\\]|\\\\.)*"(?=\\s*:)'],
    ['s', '"(?:[^"\\\\]|\\\\.)*"'],
    ['n', `${number}|${words('true', 'false', 'null')}`],
  ]),
  http: grammar([
    ['k', '^HTTP/1\\.1 \\d{3}[^\\n]*'],
    ['p', '^[A-Za-z-]+(?=: )|"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:)'],
    ['s', '(?<=": )"(?:[^"\\\\\\n]|\\\\.)*"'],
    ['n', '(?<=": )-?\\d+'],
  ]),
  sh: grammar([
    ['c', '(?<=^|\\s)#.*$'],
    ['s', quoted],
    ['p', '\\$\\w+'],
    ['k', '^(?:curl|export|npm|npx|node|python3|pip)\\b'],
    ['n', '(?<=\\s)--?[a-zA-Z][\\w-]*'],
  ]),
  ts: grammar([
    ['c', '//.*$'],
    ['s', `${quoted}|\`[^\`]*\``],
    [
      'k',
      words(
        ...[
          'import',
          'from',
          'export',
          'const',
          'let',
          'for',
          'of',
          'in',
          'if',
          'else',
          'try',
          'catch',
          'throw',
          'new',
        ],
        ...[
          'async',
          'await',
          'function',
          'return',
          'interface',
          'type',
          'as',
          'instanceof',
          'while',
          'break',
          'process',
        ],
      ),
    ],
    ['n', `${number}|${words('true', 'false', 'null', 'undefined')}`],
  ]),
  python: grammar([
    ['c', '#.*$'],
    ['s', `\\b[fb]?(?:${quoted})|${quoted}`],
    [
      'k',
      words(
        ...[
          'import',
          'from',
          'as',
          'def',
          'return',
          'while',
          'for',
          'in',
          'if',
          'elif',
          'else',
          'try',
          'except',
          'with',
        ],
        ...['raise', 'and', 'or', 'not', 'is', 'class', 'print', 'continue', 'break'],
      ),
    ],
    ['n', `${number}|${words('True', 'False', 'None')}`],
  ]),
};

/** Code with its parts marked for colours; the text is the same to the letter. */
export function highlighted(language: Language | undefined, text: string): Html {
  if (language === undefined) return html`${text}`;
  const pieces: Fragment[] = [];
  let at = 0;
  for (const match of text.matchAll(grammars[language])) {
    const kind = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined)?.[0];
    pieces.push(text.slice(at, match.index), html`<span class="t-${kind}">${match[0]}</span>`);
    at = match.index + match[0].length;
  }
  return html`${pieces}${text.slice(at)}`;
}

/** The language a fenced block of Markdown names, where it is one that can be coloured. */
export function languageNamed(name: string | undefined): Language | undefined {
  const known: Readonly<Record<string, Language>> = {
    http: 'http',
    json: 'json',
    python: 'python',
    sh: 'sh',
    console: 'sh',
    ts: 'ts',
  };
  return known[name?.trim() ?? ''];
}
