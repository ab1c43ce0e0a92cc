import { useId } from 'preact/hooks';
import { type Content, html } from '../html.ts';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: string;
  readonly hint?: Content;
  /** What is wrong with it, in the service's words. */
  readonly fault?: string | undefined;
  /** Attributes of the input itself. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A labelled input whose hint and fault are read out with it. */
export function Field({ label, value, onInput, type = 'text', hint, fault, more = {} }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return html`<p class="field">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      type=${type}
      value=${value}
      aria-describedby=${described || undefined}
      aria-invalid=${fault === undefined ? undefined : 'true'}
      onInput=${(event: Event) => onInput((event.target as HTMLInputElement).value)}
      ...${more}
    />
    ${hint && html`<span id=${`${id}-hint`} class="hint">${hint}</span>`}
    ${fault && html`<span id=${`${id}-fault`} class="fault">${fault}</span>`}
  </p>`;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly className?: string;
}

/** One of a few, as the platform's own select. */
export function Choice({ label, value, onChange, options, className = 'field' }: ChoiceProps) {
  const id = useId();
  return html`<span class=${className}>
    <label for=${id}>${label}</label>
    <select id=${id} value=${value} onChange=${(event: Event) => onChange((event.target as HTMLSelectElement).value)}>
      ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
    </select>
  </span>`;
}
