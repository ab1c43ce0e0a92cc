import { STATUS_CODES } from 'node:http';
import { type Fragment, type Html, html } from './html.ts';

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
export function codeBlock(label: string, text: string): Html {
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>\n`;
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

/** A curl command for a path; `keyed` adds the header with a key to fill in. */
export function curlCommand(baseUrl: string, path: string, keyed: boolean): string {
  const address = `'${baseUrl}${path}'`;
  return keyed ? `curl -H 'X-EXCHANGE-APIKEY: YOUR_API_KEY' \\\n  ${address}` : `curl ${address}`;
}
