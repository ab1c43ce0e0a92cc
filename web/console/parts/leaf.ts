import { html } from '../html.ts';
import type { Leafing } from '../live/pages.ts';

/** The buttons to the page before and the page after; nothing when there is only one. */
export function Leaf({ leafing, next }: { leafing: Leafing; next: string | null }) {
  if (next === null && !leafing.hasPrevious) return null;
  return html`<nav class="leaf buttons" aria-label="More of the list">
    <button type="button" disabled=${!leafing.hasPrevious} onClick=${leafing.previous}>← Before</button>
    <button type="button" disabled=${next === null} onClick=${() => next !== null && leafing.next(next)}>Next →</button>
  </nav>`;
}
