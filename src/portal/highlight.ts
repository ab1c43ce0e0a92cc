import { type Fragment, type Html, html } from '../ground/html.ts';

/** The kind of a part of a code: a comment, a name, a string, a number or constant, a word of the language. */
type Kind = 'c' | 'p' | 's' | 'n' | 'k';

type Rule = readonly [kind: Kind, expression: string];

const quoted = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const number = String.raw`(?<![\w.])-?\d[\d_]*(?:\.\d+)?\b`;

/** Where several rules match, the first wins. */
const rules = {
  json: [
    ['p', String.raw`"(?:[^"\\]|\\.)*"(?=\s*:)`],
    ['s', String.raw`"(?:[^"\\]|\\.)*"`],
    ['n', String.raw`${number}|\b(?:true|false|null)\b`],
  ],
  http: [
    ['k', String.raw`^HTTP/1\.1 \d{3}[^\n]*`],
    ['p', String.raw`^[A-Za-z-]+(?=: )|"(?:[^"\\\n]|\\.)*"(?=\s*:)`],
    ['s', String.raw`(?<=": )"(?:[^"\\\n]|\\.)*"`],
    ['n', String.raw`(?<=": )-?\d+`],
  ],
  sh: [
    ['c', String.raw`(?<=^|\s)#.*$`],
    ['s', quoted],
    ['p', String.raw`\$\w+`],
    ['k', String.raw`^(?:curl|export|npm|npx|node|python3|pip)\b`],
    ['n', String.raw`(?<=\s)--?[a-zA-Z][\w-]*`],
  ],
  ts: [
    ['c', '//.*$'],
    ['s', `${quoted}|\`[^\`]*\``],
    [
      'k',
      String.raw`\b(?:import|from|export|const|let|for|of|in|if|else|try|catch|throw|new|async|await|function|return|interface|type|as|instanceof|while|break|process)\b`,
    ],
    ['n', String.raw`${number}|\b(?:true|false|null|undefined)\b`],
  ],
  python: [
    ['c', '#.*$'],
    ['s', String.raw`\b[fb]?(?:${quoted})|${quoted}`],
    [
      'k',
      String.raw`\b(?:import|from|as|def|return|while|for|in|if|elif|else|try|except|with|raise|and|or|not|is|class|print|continue|break)\b`,
    ],
    ['n', String.raw`${number}|\b(?:True|False|None)\b`],
  ],
} satisfies Readonly<Record<string, readonly Rule[]>>;

/**
 * The languages that code is coloured in. Five short grammars serve these pages better than a highlighting library:
 * the libraries write their own HTML or come with a megabyte of languages.
 */
export type Language = keyof typeof rules | 'console';

/** One expression for all kinds of parts. */
function grammar(rulesOfLanguage: readonly Rule[]): RegExp {
  return new RegExp(rulesOfLanguage.map(([kind, each]) => `(?<${kind}>${each})`).join('|'), 'gm');
}

const grammars = new Map(Object.entries({ ...rules, console: rules.sh }).map(([name, each]) => [name, grammar(each)]));

/** Code with its parts marked for colours; the text is the same to the letter. An unknown language has no colours. */
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
