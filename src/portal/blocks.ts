import { STATUS_CODES } from 'node:http';
import { type Fragment, type Html, html } from '../ground/html.ts';
import type { Language } from './highlight.ts';
import { translate } from './language.ts';
import { codeHtml, inlineHtml, markdownHtml, type TableHtml, tableHtml } from './markdown.ts';
import { link, markdownRoute, routeIn, type Site } from './site.ts';

/**
 * A part of a page, once for browsers and once for readers of Markdown. Both say the same; a test compares
 * them word by word. The texts it is made of are English: each is translated when the page is rendered.
 */
export interface Block {
  readonly html: (site: Site) => Html;
  /** Its links lead to routes of this listener. */
  readonly markdown: (site: Site) => string;
}

/** The contents of pages: Markdown text, and blocks with HTML that Markdown cannot express. */
export type Content = string | Block | readonly Content[];

export function contentHtml(site: Site, content: Content): Html {
  if (typeof content === 'string') return markdownHtml(site, translate(site, content));
  return 'html' in content ? content.html(site) : html`${content.map((each) => contentHtml(site, each))}`;
}

export function contentMarkdown(site: Site, content: Content): string {
  if (typeof content === 'string') return translate(site, content);
  if ('html' in content) return content.markdown(site);
  return content
    .map((each) => contentMarkdown(site, each))
    .filter((text) => text !== '')
    .join('\n\n');
}

/** The Markdown with absolute addresses in place of routes; links to pages lead to their Markdown. */
export function withAddresses(site: Site, markdown: string): string {
  return markdown.replaceAll(/(?<=[^\\]\]\()(\/[^)\s#]*)(?=[)#])/g, (_, route: string) => {
    const isPage = !/\.[a-z]+$/.test(route) && !route.startsWith('/v1');
    return site.baseUrl + (isPage ? markdownRoute(site, route) : routeIn(site, route));
  });
}

/** Content inside an HTML element; its Markdown has no counterpart of that. */
export function frame(wrap: (inner: Html, site: Site) => Html, ...content: readonly Content[]): Block {
  return { html: (site) => wrap(contentHtml(site, content), site), markdown: (site) => contentMarkdown(site, content) };
}

export function division(className: string, ...content: readonly Content[]): Block {
  return frame((inner) => html`<div class="${className}">\n${inner}</div>\n`, ...content);
}

/** A block without Markdown. Its outermost element carries `data-web`, or is a `nav` or a `form`. */
export function browserOnly(render: (site: Site) => Html): Block {
  return { html: render, markdown: () => '' };
}

/** A heading without markup. The anchor, where it has one, stays when the title changes. */
export function heading(depth: 1 | 2 | 3, title: string, id?: string): Block {
  return {
    html: (site) => html`<h${depth}${id && html` id="${id}"`}>${translate(site, title)}</h${depth}>\n`,
    markdown: (site) => `${'#'.repeat(depth)} ${translate(site, title)}`,
  };
}

export function paragraph(className: string, text: string): Block {
  return {
    html: (site) => html`<p class="${className}">${textHtml(site, text)}</p>\n`,
    markdown: (site) => translate(site, text),
  };
}

function textHtml(site: Site, text: string): Html {
  return inlineHtml(site, translate(site, text));
}

/** A cell: Markdown, with or without a last paragraph in small type. */
export type Cell = string | { readonly text: string; readonly note?: string | undefined };

interface Table extends Omit<TableHtml, 'columns' | 'rows'> {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export function table({ label, columns, rows, ...rest }: Table): Block {
  return {
    html: (site) =>
      tableHtml({
        ...rest,
        label: translate(site, label),
        columns: columns.map((column) => translate(site, column)),
        rows: rows.map((cells) => cells.map((cell) => cellHtml(site, cell))),
      }),
    markdown: (site) =>
      [columns, columns.map(() => '---'), ...rows]
        .map((cells) => `| ${cells.map((cell) => cellMarkdown(site, cell)).join(' | ')} |`)
        .join('\n'),
  };
}

function cellHtml(site: Site, cell: Cell): Fragment {
  if (typeof cell === 'string') return textHtml(site, cell);
  const { text, note } = cell;
  return [textHtml(site, text), note && html`<p class="quiet small">${textHtml(site, note)}</p>`];
}

function cellMarkdown(site: Site, cell: Cell): string {
  const { text, note = '' } = typeof cell === 'string' ? { text: cell } : cell;
  return `${translate(site, text)} ${translate(site, note)}`
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
}

/** Terms with their descriptions. */
export function facts(texts: Readonly<Record<string, string>>): Block {
  const rows = Object.entries(texts);
  return {
    html: (site) =>
      html`<dl class="facts">\n${rows.map(([term, text]) => html`<dt>${textHtml(site, term)}</dt><dd>${textHtml(site, text)}</dd>\n`)}</dl>\n`,
    markdown: (site) =>
      rows.map(([term, text]) => `- **${translate(site, term)}**: ${translate(site, text)}`).join('\n'),
  };
}

/** Links to pages with their purposes. */
export function cards(
  pages: readonly { readonly route: string; readonly name: string; readonly purpose: string }[],
): Block {
  return {
    html: (site) =>
      html`<ul class="cards">\n${pages.map(({ route, name, purpose }) => html`<li><a href="${link(site, route)}">${name}</a><p>${purpose}</p></li>\n`)}</ul>\n`,
    markdown: () => pages.map(({ route, name, purpose }) => `- [${name}](${route}): ${purpose}`).join('\n'),
  };
}

/** Preformatted text: a command, a message, a body. */
export function codeBlock(label: string, text: string, language: Language): Block {
  return {
    html: (site) => codeHtml(translate(site, label), text, language),
    markdown: () => `\`\`\`${language}\n${text}\n\`\`\``,
  };
}

/** A block of code with its name above; a folded one opens on demand. */
export function namedCode(name: string, text: string, language: Language, isFolded: boolean): Block {
  const block = codeBlock(name, text, language);
  return {
    html: (site) =>
      isFolded
        ? html`<details><summary>${translate(site, name)}</summary>${block.html(site)}</details>\n`
        : html`<figure><figcaption>${translate(site, name)}</figcaption>${block.html(site)}</figure>\n`,
    markdown: (site) => `${translate(site, name)}:\n\n${block.markdown(site)}`,
  };
}

/** The same request in one of several languages. */
export interface Sample {
  readonly name: string;
  readonly language: Language;
  readonly text: string;
}

/** Tabs that need no script: each is a radio button, and the style shows the panel of the chosen one. */
export function codeTabs(id: string, label: string, samples: readonly Sample[]): Block {
  const buttons = samples.map(({ name, language }, index) => {
    const checked = index === 0 ? html` checked="checked"` : undefined;
    return html`<input type="radio" name="${id}" id="${id}-${language}" value="${language}"${checked}><label for="${id}-${language}">${name}</label>\n`;
  });
  const panels = samples.map(({ name, language, text }) =>
    frame(
      (inner) => html`<div class="panel" data-language="${language}">\n${inner}</div>\n`,
      codeBlock(`${label}, ${name}`, text, language),
    ),
  );
  return frame(
    (inner) => html`<fieldset class="tabs"><legend>${label}</legend>\n${buttons}${inner}</fieldset>\n`,
    ...panels,
  );
}

/** A span of code as Markdown, in as many backticks as the text needs. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Foreign text escaped for Markdown, on one line. */
export function literal(text: string): string {
  return text.replaceAll(/[\\`*_<>[\]&#|~]/g, '\\$&').replaceAll(/\s+/g, ' ');
}

/** `404 Not Found`. */
export function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}

/** A body indented for reading; the API sends it without spaces. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
