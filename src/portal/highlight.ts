import { type Fragment, type Html, html } from '../ground/html.ts';
import written from './highlight.json' with { type: 'json' };

/**
 * The languages that code is coloured in. Five short grammars serve these pages better than a highlighting library:
 * the libraries write their own HTML or come with a megabyte of languages.
 */
export type Language = keyof typeof written | 'console';

const pieces: Readonly<Record<string, string>> = {
  quoted: `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`,
  number: '(?<![\\w.])-?\\d[\\d_]*(?:\\.\\d+)?\\b',
};

/**
 * One expression for all kinds of parts: a comment (`c`), a name (`p`), a string (`s`), a number or constant (`n`), a word of
 * the language (`k`). Where several match, the first rule wins.
 */
function grammar(rules: readonly (readonly string[])[]): RegExp {
  const source = rules.map(([kind, each]) => `(?<${kind}>${each})`).join('|');
  return new RegExp(
    source.replaceAll(/@(\w+)@/g, (_, name: string) => pieces[name]!),
    'gm',
  );
}

const grammars = new Map(
  Object.entries({ ...written, console: written.sh }).map(([name, rules]) => [name, grammar(rules)]),
);

/** Code with its parts marked for colours; the text is the same to the letter, and an unknown language has no colours. */
export function highlighted(language: string | undefined, text: string): Html {
  const expression = grammars.get(language?.trim() ?? '');
  if (expression === undefined) return html`${text}`;
  const parts: Fragment[] = [];
  let at = 0;
  for (const match of text.matchAll(expression)) {
    const kind = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined)?.[0];
    parts.push(text.slice(at, match.index), html`<span class="t-${kind}">${match[0]}</span>`);
    at = match.index + match[0].length;
  }
  return html`${parts}${text.slice(at)}`;
}
