import { type Content, html } from '../html.ts';

interface TileProps {
  readonly name: string;
  readonly className?: string;
  readonly note?: Content;
  readonly children?: Content;
}

/** A figure with its name, and a note below. */
export function Tile({ name, className = '', note, children }: TileProps) {
  return html`<div class=${`tile ${className}`}>
    <p class="tile-name">${name}</p>
    <p class="tile-value">${children}</p>
    ${note && html`<p class="tile-note">${note}</p>`}
  </div>`;
}
