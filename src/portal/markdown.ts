import { Lexer, Parser, Renderer, type Token, type Tokens } from 'marked';
import { type Fragment, type Html, html, joined, trusted } from '../ground/html.ts';
import { highlighted } from './highlight.ts';
import { translate } from './language.ts';
import { link, type Site } from './site.ts';

/**
 * Markdown as HTML. HTML within it is shown as text and never interpreted; of an image only its text is
 * shown. A link to a route of this listener leads there under the path of the base URL.
 */
export function markdownHtml(site: Site, markdown: string): Html {
  return trusted(Parser.parse(Lexer.lex(markdown), { renderer: new PageRenderer(site) }));
}

/** Markdown within a sentence or a cell as HTML: links, code and emphasis. */
export function inlineHtml(site: Site, markdown: string): Html {
  return trusted(Parser.parseInline(Lexer.lexInline(markdown), { renderer: new PageRenderer(site) }));
}

/** Escapes all text and addresses with the `html` template instead of marked's own escaping. */
class PageRenderer extends Renderer<string, string> {
  readonly #site: Site;
  readonly #anchor = numbering('-', 1);
  readonly #label = numbering(' ', 2);
  #section: string | undefined;

  constructor(site: Site) {
    super();
    this.#site = site;
  }

  override heading(heading: Tokens.Heading): string {
    const { depth, tokens } = heading;
    this.#section = plainText(heading);
    const id = this.#anchor(anchorOf(this.#section));
    // The one heading of the first level needs no anchor: the page itself leads there.
    return `<h${depth}${depth === 1 ? '' : html` id="${id}"`.text}>${this.#inline(tokens)}</h${depth}>\n`;
  }

  override code({ text, lang }: Tokens.Code): string {
    return codeHtml(this.#label(translate(this.#site, codeLabels[lang ?? ''] ?? 'Code')), text, lang).text;
  }

  override table({ header, rows }: Tokens.Table): string {
    const cells = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => trusted(this.#inline(tokens)));
    const label = this.#label(this.#section ?? header.map(plainText).join(', '));
    return tableHtml({ label, columns: header.map(plainText), rows: rows.map(cells), kind: 'short' }).text;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const target = /^\/(?!\/)/.test(href) ? link(this.#site, href) : href;
    const content = trusted(this.#inline(tokens));
    return /^(?:\/(?!\/)|#|https?:)/.test(href) ? html`<a href="${target}">${content}</a>`.text : content.text;
  }

  override image({ text }: Tokens.Image): string {
    return html`${text}`.text;
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return html`${text}`.text;
  }

  override codespan({ text }: Tokens.Codespan): string {
    // Long names may be broken where their parts join.
    const joint = /^[A-Z]+(?:_[A-Z]+)+$/.test(text)
      ? /(?<=_)/
      : /^\w+(\[\])?(?:\.\w+)+$/.test(text)
        ? /(?<=\.)/
        : undefined;
    return html`<code>${joint === undefined ? text : joined(text.split(joint), html`<wbr>`)}</code>`.text;
  }

  override text(token: Tokens.Text | Tokens.Escape): string {
    return 'tokens' in token && token.tokens !== undefined ? this.#inline(token.tokens) : html`${token.text}`.text;
  }

  #inline(tokens: Token[]): string {
    return this.parser.parseInline(tokens);
  }
}

const codeLabels: Readonly<Record<string, string>> = {
  sh: 'Commands',
  json: 'JSON',
  ts: 'TypeScript',
  python: 'Python',
};

/** Numbers repeated names, so that each is unique on its page. */
function numbering(separator: string, second: number): (name: string) => string {
  const counts = new Map<string, number>();
  return (name) => {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return count === 0 ? name : `${name}${separator}${count - 1 + second}`;
  };
}

/** The text of a token without its markup. */
function plainText(token: Token | Tokens.TableCell): string {
  const { tokens, text } = token as { readonly tokens?: readonly Token[]; readonly text?: string };
  return tokens === undefined || tokens.length === 0 ? (text ?? '') : tokens.map(plainText).join('');
}

/** Makes anchors as code-hosting sites do, so that a link to a heading works in both places. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/** Preformatted text with colours. */
export function codeHtml(label: string, text: string, language?: string): Html {
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>${highlighted(language, text)}</code></pre>\n`;
}

export interface TableHtml {
  /** The accessible name. */
  readonly label: string;
  readonly columns: readonly Fragment[];
  /** The first cell of a row is its heading. */
  readonly rows: readonly (readonly Fragment[])[];
  /** The anchor of each row, in the order of the rows. */
  readonly ids?: readonly string[] | undefined;
  readonly kind: TableKind;
}

/**
 * `short`: no sentences in the last column. `codes`: long codes in the first, which may break. `fields`, `operations`:
 * names in it, one line each.
 */
type TableKind = 'short' | 'codes' | 'fields' | 'operations';

/** A table that scrolls by itself where the page is too narrow for it, by keyboard too. */
export function tableHtml({ label, columns, rows, ids, kind }: TableHtml): Html {
  const isNamed = kind === 'fields' || kind === 'operations';
  const cellHtml = (cell: Fragment, index: number) =>
    index === 0
      ? html`<th scope="row"${attribute('class', isNamed ? 'word' : undefined)}>${cell}</th>`
      : html`<td>${cell}</td>`;
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${attribute('class', kind)}>
<thead><tr>${columns.map((column) => (column === '' ? html`<td></td>` : html`<th scope="col">${column}</th>`))}</tr></thead>
<tbody>
${rows.map((cells, index) => html`<tr${attribute('id', ids?.[index])}>${cells.map(cellHtml)}</tr>\n`)}</tbody>
</table></div>
`;
}

function attribute(name: 'class' | 'id', value: string | undefined): Fragment {
  return value && html` ${name}="${value}"`;
}
