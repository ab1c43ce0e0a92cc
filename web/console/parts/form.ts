import { useEffect, useId, useState } from 'preact/hooks';
import type { Outcome, Problem } from '../api/client.ts';
import { after } from '../clock.ts';
import { localZoneText, utcText } from '../format/time.ts';
import { type Content, html } from '../html.ts';
import { say } from '../language.ts';
import { serverNowMs } from '../state.ts';
import { toast } from './toasts.ts';

interface FieldProps {
  readonly label: Content;
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
  const hint = atMs === undefined ? say('Not an instant yet.') : utcText(atMs);
  return html`<div>
    <${Field} label=${say('{label} (your time, {zone})', { label, zone })} type="datetime-local" value=${text} onInput=${setText} hint=${hint} fault=${fault} more=${{ required: true }} />
    <p class="presets buttons" role="group" aria-labelledby=${id}><span id=${id} class="visually-hidden">${say('Presets for {label}', { label })}</span>${children}</p>
  </div>`;
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

const pauseMs = 250;

interface SearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly initial?: string;
  readonly onSearch: (text: string) => void;
}

/**
 * A field's text: what was typed since `initial` last changed. No effect, which would run late and erase what is being
 * typed.
 */
export function useText(initial: string): [string, (text: string) => void] {
  const [typed, setTyped] = useState({ initial, text: initial });
  return [typed.initial === initial ? typed.text : initial, (text) => setTyped({ initial, text })];
}

/** A search field that reports its text once typing pauses. */
export function Search({ label, placeholder, initial = '', onSearch }: SearchProps) {
  const id = useId();
  const [text, setText] = useText(initial);
  useEffect(() => (text.trim() === initial ? undefined : after(pauseMs, () => onSearch(text.trim()))), [text]);
  return html`<div class="filter" role="search" aria-label=${label}>
    <span class="field grow">
      <label for=${id}>${label}</label>
      <input id=${id} type="search" placeholder=${placeholder} autocomplete="off" spellcheck=${false} value=${text} onInput=${(event: Event) => setText((event.target as HTMLInputElement).value)} />
    </span>
  </div>`;
}

/** A form being sent: once at a time, with the outcome. */
interface Submitted<T> {
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  /** The fault of a field, in the service's words. */
  readonly faultOf: (field: string) => string | undefined;
  readonly submit: (send: () => Promise<Outcome<T>>) => Promise<void>;
}

/** @param onProposed called in place of `onDone` where another person has to confirm it */
export function useSubmitted<T>(onDone: (value: T) => void, onProposed: () => void = () => {}): Submitted<T> {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  return {
    isBusy,
    problem,
    faultOf: (field) => (problem?.kind === 'refused' ? problem.fields[field] : undefined),
    submit: async (send) => {
      if (isBusy) return;
      setBusy(true);
      const outcome = await send();
      setBusy(false);
      setProblem(outcome.ok ? undefined : outcome.problem);
      if (!outcome.ok) return;
      if (outcome.isProposed !== true) return onDone(outcome.value);
      toast(say('It waits under Approvals until another person confirms it.'));
      onProposed();
    },
  };
}
