import { useEffect, useId, useState } from 'preact/hooks';
import { after } from '../clock.ts';
import { html } from '../html.ts';

const pauseMs = 250;

interface SearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly initial?: string;
  readonly onSearch: (text: string) => void;
}

/** A field to search by; told once typing pauses. */
export function Search({ label, placeholder, initial = '', onSearch }: SearchProps) {
  const id = useId();
  const [text, setText] = useState(initial);
  useEffect(() => setText(initial), [initial]);
  useEffect(() => (text.trim() === initial ? undefined : after(pauseMs, () => onSearch(text.trim()))), [text]);
  return html`<div class="filter" role="search" aria-label=${label}>
    <span class="field grow">
      <label for=${id}>${label}</label>
      <input id=${id} type="search" placeholder=${placeholder} autocomplete="off" spellcheck=${false} value=${text} onInput=${(event: Event) => setText((event.target as HTMLInputElement).value)} />
    </span>
  </div>`;
}
