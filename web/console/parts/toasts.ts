import { after } from '../clock.ts';
import { html } from '../html.ts';
import { say } from '../language.ts';
import { Store, useStore } from '../store.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

const shownForMs = 6_000;
const toasts = new Store<readonly Toast[]>([]);
let lastId = 0;

/** Says that something was done, or that it was not. Failures stay until they are dismissed. */
export function toast(text: string, tone: Toast['tone'] = 'good'): void {
  const id = ++lastId;
  toasts.set([...toasts.value.slice(-3), { id, text, tone }]);
  if (tone === 'good') after(shownForMs, () => dismiss(id));
}

function dismiss(id: number): void {
  toasts.set(toasts.value.filter((entry) => entry.id !== id));
}

/** Rendered from the start: a live region that is added together with its text is not read out. */
export function Toasts() {
  const shown = useStore(toasts);
  return html`<div class="toasts" role="status" aria-live="polite" aria-atomic="false">
    ${shown.map(
      ({ id, text, tone }) => html`<p key=${id} class=${`toast ${tone}`}>
        <span>${text}</span>
        <button type="button" class="bare" aria-label=${say('Dismiss this message')} onClick=${() => dismiss(id)}>×</button>
      </p>`,
    )}
  </div>`;
}
