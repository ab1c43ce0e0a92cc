import { useId } from 'preact/hooks';
import { html } from '../html.ts';
import { Choice } from '../parts/field.ts';
import { columns } from './board-table.ts';
import type { Selection, SortKey } from './selection.ts';

interface FilterProps {
  readonly selection: Selection;
  readonly quotes: readonly string[];
  readonly onChange: (change: Partial<Selection>) => void;
}

const statuses = [
  ['', 'Any status'],
  ['trading', 'Trading'],
  ['paused', 'Paused'],
  ['delisted', 'Delisted'],
] as const;

/** What chooses among the markets. */
export function BoardFilter({ selection, quotes, onChange }: FilterProps) {
  const id = useId();
  const sorts = columns.flatMap(({ key, text }) => (key === undefined ? [] : [[key, text] as const]));
  return html`<div class="filter" role="search" aria-label="Markets">
    <span class="field grow">
      <label for=${id}>Find</label>
      <input
        id=${id}
        type="search"
        placeholder="BTC, EURCZK …"
        autocomplete="off"
        spellcheck=${false}
        value=${selection.text}
        onInput=${(event: Event) => onChange({ text: (event.target as HTMLInputElement).value })}
      />
    </span>
    <${Choice} label="Status" value=${selection.status} options=${statuses} onChange=${(status: string) => onChange({ status })} />
    <${Choice}
      label="Quote"
      value=${selection.quote}
      options=${[['', 'Any quote'], ...quotes.map((quote) => [quote, quote])]}
      onChange=${(quote: string) => onChange({ quote })}
    />
    <${Choice} className="field narrow-only" label="Sort by" value=${selection.sort} options=${sorts} onChange=${(sort: string) => onChange({ sort: sort as SortKey })} />
    <label class="check"><input type="checkbox" checked=${selection.withoutPrice} onChange=${() => onChange({ withoutPrice: !selection.withoutPrice })} /> Without price</label>
  </div>`;
}
