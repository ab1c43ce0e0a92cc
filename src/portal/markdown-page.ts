import { Marked, type MarkedExtension, type Token, type Tokens } from 'marked';
import { type Html, html, trusted } from '../html.ts';
import { codeBlock, table } from './blocks.ts';
import { languageNamed } from './highlight.ts';

/** A heading that the table of contents shows. */
export interface Heading {
  readonly id: string;
  readonly title: string;
}

/** Where links lead, each to an address that is safe to follow. */
export interface MarkdownLinks {
  readonly target: (href: string) => string;
  /** Of a word in backticks that names something with a page; `undefined` for all others. */
  readonly targetOfCode: (code: string) => string | undefined;
}

export interface RenderedMarkdown {
  /** Of the first heading, which the body does not repeat. */
  readonly title: string;
  /** The first paragraph, as text. */
  readonly summary: string;
  readonly headings: readonly Heading[];
  readonly body: Html;
}

/**
 * One of our Markdown files as HTML. HTML within it is shown as it is written and never taken as such;
 * links go through `links`; of images only their words are left.
 */
export function renderMarkdown(markdown: string, links: MarkdownLinks): RenderedMarkdown {
  const headings: Heading[] = [];
  const marked = new Marked<string, string>({ gfm: true, renderer: rendererFor(headings, links) });
  const tokens = marked.lexer(markdown);
  const first = tokens.findIndex((token) => token.type === 'heading' && token.depth === 1);
  if (first === -1) throw new Error('the document has no first heading');
  const [title] = tokens.splice(first, 1) as [Tokens.Heading];
  const paragraph = tokens.find((token) => token.type === 'paragraph');
  return {
    title: plainText(title),
    summary: paragraph === undefined ? '' : plainText(paragraph),
    headings,
    body: trusted(marked.parser(tokens)),
  };
}

type Renderer = NonNullable<MarkedExtension<string, string>['renderer']>;

/** Every renderer that would put text or an address into HTML goes through our own escaping. */
function rendererFor(headings: Heading[], { target, targetOfCode }: MarkdownLinks): Renderer {
  const taken = new Map<string, number>();
  const labels = new Map<string, number>();
  return {
    heading(heading) {
      const { tokens, depth } = heading;
      const title = plainText(heading);
      const id = anchorOf(title, taken);
      if (depth === 2) headings.push({ id, title });
      return `<h${depth} id="${html`${id}`.text}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code({ text, lang }) {
      const language = languageNamed(lang);
      return codeBlock(numbered(labelOf(lang), labels), text, language).text;
    },
    table({ header, rows }) {
      const inline = (cells: readonly Tokens.TableCell[]) =>
        cells.map(({ tokens }) => trusted(this.parser.parseInline(tokens)));
      const columns = header.map(plainText);
      return table({ label: numbered(columns.join(', '), labels), columns, rows: rows.map(inline), kind: 'short' })
        .text;
    },
    link({ href, tokens }) {
      return html`<a href="${target(href)}">${trusted(this.parser.parseInline(tokens))}</a>`.text;
    },
    image: ({ text }) => html`${text}`.text,
    html: ({ text }) => html`${text}`.text,
    codespan({ text }) {
      const href = targetOfCode(text);
      const code = html`<code>${text}</code>`;
      return (href === undefined ? code : html`<a href="${href}">${code}</a>`).text;
    },
    text(token) {
      const within = 'tokens' in token ? token.tokens : undefined;
      return within === undefined ? html`${token.text}`.text : this.parser.parseInline(within);
    },
  };
}

function labelOf(language: string | undefined): string {
  const names: Readonly<Record<string, string>> = { sh: 'Commands', json: 'JSON', ts: 'TypeScript', python: 'Python' };
  return names[language ?? ''] ?? 'Code';
}

/** No two regions of a page share a name: the second of a kind is `JSON 2`. */
function numbered(label: string, taken: Map<string, number>): string {
  const count = (taken.get(label) ?? 0) + 1;
  taken.set(label, count);
  return count === 1 ? label : `${label} ${count}`;
}

/** The text of a token without its markup. */
function plainText(token: Token | Tokens.TableCell): string {
  const { tokens, text } = token as { readonly tokens?: readonly Token[]; readonly text?: string };
  return tokens === undefined || tokens.length === 0 ? (text ?? '') : tokens.map(plainText).join('');
}

/** As code-hosting sites make them, so that a link to a heading works in both places. */
function anchorOf(title: string, taken: Map<string, number>): string {
  const base = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const count = taken.get(base) ?? 0;
  taken.set(base, count + 1);
  return count === 0 ? base : `${base}-${count}`;
}
