import { useId } from 'preact/hooks';
import type { Incident } from '../../generated/management-v1.d.ts';
import type { Problem } from '../api/client.ts';
import { type Content, html } from '../html.ts';
import { say, word } from '../language.ts';
import { ProblemBlock } from '../parts/blocks.ts';
import { Dialog } from '../parts/dialog.ts';
import { Choice, Field } from '../parts/form.ts';

export type Part = Incident['parts'][number];
export type OpenState = Exclude<Incident['state'], 'resolved'>;

/** The parts of the service, as the status page names them. */
export const partTexts: Readonly<Record<Part, string>> = { api: say('API'), 'market-data': say('Market data') };

const openStates: readonly OpenState[] = ['investigating', 'identified', 'monitoring'];

/** A text in both languages, as it is typed. */
export interface Typed {
  readonly en: string;
  readonly cs: string;
}

/** The values of a request: what is empty is left out. */
export function written<const Name extends string>(name: Name, { en, cs }: Typed): Readonly<Record<string, string>> {
  return { ...(en.trim() !== '' && { [name]: en }), ...(cs.trim() !== '' && { [`${name}Cs`]: cs }) };
}

interface WordingProps {
  readonly label: string;
  readonly name: string;
  readonly value: Typed;
  readonly onChange: (value: Typed) => void;
  readonly faultOf: (field: string) => string | undefined;
  readonly max: number;
  readonly isRequired?: boolean;
  /** Several lines of it. */
  readonly rows?: number;
  readonly hint?: string;
}

/** A text in English and, where somebody writes it, in Czech. */
export function Wording({ label, name, value, onChange, faultOf, max, isRequired, rows, hint }: WordingProps) {
  const inEnglish = { maxlength: max, required: isRequired, autocomplete: 'off', lang: 'en' };
  const inCzech = { maxlength: max, autocomplete: 'off', lang: 'cs' };
  const Input = rows === undefined ? Field : TextArea;
  return html`<div class="wording">
    <${Input} label=${label} value=${value.en} rows=${rows} hint=${hint} fault=${faultOf(name)} more=${inEnglish} onInput=${(en: string) => onChange({ ...value, en })} />
    <${Input} label=${say('{label}, in Czech', { label })} value=${value.cs} rows=${rows} fault=${faultOf(`${name}Cs`)} more=${inCzech} onInput=${(cs: string) => onChange({ ...value, cs })} />
  </div>`;
}

interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly rows: number;
  readonly onInput: (value: string) => void;
  readonly hint?: string | undefined;
  readonly fault: string | undefined;
  readonly more: Readonly<Record<string, unknown>>;
}

function TextArea({ label, value, rows, onInput, hint, fault, more }: TextAreaProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return html`<p class="field">
    <label for=${id}>${label}</label>
    <textarea id=${id} rows=${rows} value=${value} aria-describedby=${described || undefined} aria-invalid=${fault === undefined ? undefined : 'true'} onInput=${(event: Event) => onInput((event.target as HTMLTextAreaElement).value)} ...${more}></textarea>
    ${hint && html`<span id=${`${id}-hint`} class="hint">${hint}</span>`}
    ${fault && html`<span id=${`${id}-fault`} class="fault">${fault}</span>`}
  </p>`;
}

export function StateChoice({ value, onChange }: { value: OpenState; onChange: (state: OpenState) => void }) {
  const options = openStates.map((state) => [state, word(state)] as const);
  return html`<${Choice} label=${say('State')} value=${value} options=${options} onChange=${onChange} />`;
}

interface PartsProps {
  readonly value: readonly Part[];
  readonly onChange: (parts: readonly Part[]) => void;
  readonly fault: string | undefined;
}

/** Which parts of the service it concerns. */
export function PartsChoice({ value, onChange, fault }: PartsProps) {
  const parts = Object.keys(partTexts) as Part[];
  const toggled = (part: Part) => parts.filter((each) => value.includes(each) !== (each === part));
  return html`<fieldset class="field parts-choice"><legend>${say('Parts')}</legend>
    ${parts.map((part) => html`<label key=${part} class="check"><input type="checkbox" checked=${value.includes(part)} onChange=${() => onChange(toggled(part))} /> ${partTexts[part]}</label>`)}
    ${fault && html`<span class="fault" role="alert">${fault}</span>`}
  </fieldset>`;
}

interface WritingDialogProps {
  readonly title: string;
  readonly action: string;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  readonly onSend: () => void;
  readonly onClose: () => void;
  readonly children?: Content;
}

/** A form for what clients will read. A fault of a field stands beside it, any other above the buttons. */
export function WritingDialog({ title, action, isBusy, problem, onSend, onClose, children }: WritingDialogProps) {
  const send = (event: Event) => {
    event.preventDefault();
    onSend();
  };
  const isOfField = problem?.kind === 'refused' && Object.keys(problem.fields).length > 0;
  return html`<${Dialog} title=${title} wide onClose=${onClose}>
    <form onSubmit=${send}>
      ${children}
      ${problem && !isOfField && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons"><button type="submit" class="main" disabled=${isBusy}>${action}</button><button type="button" onClick=${onClose}>${say('Go back')}</button></p>
    </form>
  <//>`;
}
