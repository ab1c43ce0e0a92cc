import { useId } from 'preact/hooks';
import { localZoneText, utcText } from '../format/time.ts';
import { html } from '../html.ts';
import { serverNowMs } from '../state.ts';
import { Field } from './form.ts';

interface InstantProps {
  readonly label: string;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly atMs: number | undefined;
  readonly fault: string | undefined;
  readonly children?: unknown;
}

/** An instant typed in local time, with UTC below it and buttons for usual ones. */
export function InstantField({ label, text, setText, atMs, fault, children }: InstantProps) {
  const id = useId();
  const zone = localZoneText(atMs ?? serverNowMs());
  const hint = atMs === undefined ? 'Not an instant yet.' : utcText(atMs);
  return html`<div>
    <${Field} label=${`${label} (your time, ${zone})`} type="datetime-local" value=${text} onInput=${setText} hint=${hint} fault=${fault} more=${{ required: true }} />
    <p class="presets buttons" role="group" aria-labelledby=${id}><span id=${id} class="visually-hidden">Presets for ${label}</span>${children}</p>
  </div>`;
}
