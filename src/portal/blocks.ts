import { STATUS_CODES } from 'node:http';
import { type Fragment, type Html, html } from '../html.ts';
import { highlighted, type Language } from './highlight.ts';

/** A cell that stays on one line, such as a name. */
export interface Word {
  readonly word: Fragment;
}

export type Cell = Fragment | Word;

export interface Table {
  /** Says what the table holds, to those who cannot see it. */
  readonly label: string;
  readonly columns: readonly string[];
  /** The first cell of a row is its heading. */
  readonly rows: readonly (readonly Cell[])[];
  /** The anchor of each row, in the order of the rows. */
  readonly ids?: readonly string[];
  /** `short`: no sentences in the last column. `codes`: long codes in the first, which may be broken. */
  readonly kind?: 'short' | 'codes';
}

/** A table that scrolls by itself where the page is too narrow for it, by keyboard too. */
export function table({ label, columns, rows, ids, kind }: Table): Html {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${attribute('class', kind)}>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${rows.map((cells, index) => html`<tr${attribute('id', ids?.[index])}>${cells.map(cell)}</tr>\n`)}</tbody>
</table></div>
`;
}

function attribute(name: 'class' | 'id', value: string | undefined): Fragment {
  return value === undefined ? undefined : html` ${name}="${value}"`;
}

function cell(content: Cell, index: number): Html {
  const isWord = typeof content === 'object' && 'word' in content;
  const inner = isWord ? content.word : content;
  const kind = attribute('class', isWord ? 'word' : undefined);
  return index === 0 ? html`<th scope="row"${kind}>${inner}</th>` : html`<td${kind}>${inner}</td>`;
}

/** Text to be taken as it stands: a command, a message, a body. */
export function codeBlock(label: string, text: string, language?: Language): Html {
  const kind = language === undefined ? undefined : html` data-language="${language}"`;
  return html`<pre tabindex="0" role="region" aria-label="${label}"${kind}><code>${highlighted(language, text)}</code></pre>\n`;
}

/** The same thing said in several languages, of which one is seen at a time. */
export interface Tab {
  readonly name: string;
  readonly language: Language;
  readonly text: string;
}

/** Tabs that need no script: each is a radio button, and the style shows the panel of the chosen one. */
export function codeTabs(id: string, label: string, tabs: readonly Tab[]): Html {
  const buttons = tabs.map(({ name, language }, index) => {
    const chosen = index === 0 ? html` checked="checked"` : undefined;
    return html`<input type="radio" name="${id}" id="${id}-${language}" value="${language}"${chosen}><label for="${id}-${language}">${name}</label>\n`;
  });
  const panels = tabs.map(
    ({ name, text, language }) => html`<div class="panel">${codeBlock(`${label}, ${name}`, text, language)}</div>\n`,
  );
  return html`<fieldset class="tabs"><legend>${label}</legend>\n${buttons}${panels}</fieldset>\n`;
}

export function code(text: string): Html {
  return html`<code>${text}</code>`;
}

/** `404 Not Found`. */
export function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}

/** A body as it is shown: indented, which the one on the wire is not. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
