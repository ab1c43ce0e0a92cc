import { type InstantStyle, localText, utcText } from '../format/time.ts';
import { spaced, type Tone, toneOf } from '../format/words.ts';
import { type Content, html } from '../html.ts';

/** An instant in local time, with UTC where the pointer rests and for programs. */
export function When({ atMs, as = 'minute' }: { atMs: number; as?: InstantStyle }) {
  const utc = utcText(atMs);
  return html`<time dateTime=${utc.replace(' UTC', 'Z').replace(' ', 'T')} title=${utc}>${localText(atMs, as)}</time>`;
}

/** A state as a word with a mark; its colour is only an addition. */
export function Badge({ state, tone, children }: { state: string; tone?: Tone; children?: Content }) {
  return html`<span class=${`badge ${tone ?? toneOf(state)}`}>${children ?? spaced(state)}</span>`;
}

/** What stands where a value is missing. */
export function Missing({ children = 'none' }: { children?: Content }) {
  return html`<span class="missing">${children}</span>`;
}

interface FactsProps {
  readonly rows: readonly (readonly [name: string, value: Content])[];
  /** For short values: more of them beside each other. */
  readonly isDense?: boolean;
}

/** Names and values. `rows` without a value are left out. */
export function Facts({ rows, isDense = false }: FactsProps) {
  const shown = rows.filter(([, value]) => value !== undefined);
  return html`<dl class=${isDense ? 'facts dense' : 'facts'}>
    ${shown.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}
