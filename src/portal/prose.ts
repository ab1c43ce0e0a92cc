import { type Fragment, type Html, html } from '../html.ts';
import { table } from './blocks.ts';

/** A part of a longer text under one heading. */
export interface Section {
  readonly title: string;
  /** The title as an anchor. */
  readonly id: string;
  readonly body: Html;
}

/**
 * Text from the OpenAPI document as HTML: paragraphs, tables and `code`, which is the part of
 * CommonMark that the document's texts use. Anything else is shown as it was written.
 */
export function prose(text: string): Html {
  return blocks(text, 'Table');
}

/** `code` within a sentence, and nothing else. */
export function sentence(text: string): Fragment {
  return text.split('`').map((piece, index) => (index % 2 === 0 ? piece : html`<code>${piece}</code>`));
}

/** Splits a text at its `##` headings: what precedes the first, and the sections. */
export function sections(text: string): { readonly lead: Html; readonly sections: readonly Section[] } {
  const [lead = '', ...parts] = text.split(/^## /m);
  return {
    lead: prose(lead),
    sections: parts.map((part) => {
      const [title = '', ...body] = part.split('\n');
      return { title, id: anchor(title), body: blocks(body.join('\n'), title) };
    }),
  };
}

function anchor(title: string): string {
  return (
    title
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.join('-') ?? 'section'
  );
}

function blocks(text: string, label: string): Html {
  const parts = text.split(/\n{2,}/).map((part) => part.trim());
  return html`${parts.filter((part) => part !== '').map((part) => block(part, label))}`;
}

function block(part: string, label: string): Html {
  if (!part.startsWith('|')) return html`<p>${sentence(part)}</p>\n`;
  const [columns = [], , ...rows] = part.split('\n').map(cells);
  return table({ label, columns, rows: rows.map((row) => row.map(sentence)) });
}

function cells(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((text) => text.trim());
}
