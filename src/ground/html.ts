/** A piece of HTML that is safe to put into a page as it is. Only `html` and `trusted` make one. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value that a template takes: finished HTML, text to escape, several of them, or nothing. */
export type Fragment = Html | string | number | undefined | readonly Fragment[];

/**
 * The template of every page: whatever is put in is escaped unless it is `Html` already. The escaped text is ASCII and
 * is safe as element content and within quoted attributes; it is not made for scripts, stylesheets or unquoted
 * attributes, and an `href` of foreign text would need its scheme checked besides.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  return new Html(literals.reduce((text, literal, index) => text + textOf(values[index - 1]) + literal));
}

/** Takes our own text for HTML. Never for anything that comes from outside this program. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** The pieces with the separator between each two. */
export function joined(pieces: readonly Fragment[], separator: Fragment): Fragment {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [separator, piece]));
}

function textOf(value: Fragment): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return value.map(textOf).join('');
}

const special = /[^\t\n\x20-\x7e]|[&<>"'`]/gu;

function escapeText(text: string): string {
  return text.replace(special, (character) => {
    const codePoint = character.codePointAt(0)!;
    return `&#${isCharacter(codePoint) ? codePoint : 0xfffd};`;
  });
}

/** False for control characters and lone surrogates, which HTML has no way to write. */
function isCharacter(codePoint: number): boolean {
  return codePoint >= 0x20 && !(codePoint >= 0x7f && codePoint < 0xa0) && !(codePoint >= 0xd800 && codePoint < 0xe000);
}
