import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Outcome } from '../api/client.ts';
import { type Content, html } from '../html.ts';
import { say, tell } from '../language.ts';
import { ProblemBlock } from './blocks.ts';
import { Field, useSubmitted } from './form.ts';

interface DialogProps {
  readonly title: string;
  /** Called on Escape too. */
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children?: Content;
}

/** The platform's own modal dialog: it keeps the focus inside and gives it back to where it was. */
export function Dialog({ title, onClose, wide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  return html`<dialog ref=${dialog} class=${wide ? 'wide' : ''} aria-labelledby=${titleId} onCancel=${cancel}>
    <h2 id=${titleId}>${title}</h2>
    ${children}
  </dialog>`;
}

interface ConfirmProps<T> {
  readonly title: string;
  /** What the button says: the action itself, never "OK". */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly wide?: boolean;
  /** What has to be typed before the button works. */
  readonly typed?: string;
  readonly act: () => Promise<Outcome<T>>;
  readonly onDone: (value: T) => void;
  /** Called after `onClose` where another person has to confirm it. */
  readonly onProposed?: () => void;
  readonly onClose: () => void;
  readonly children?: Content;
}

/** Asks before something that others will notice, does it, and stays with the reason when it was refused. */
export function Confirm<T>(props: ConfirmProps<T>) {
  const { title, action, isDangerous = false, wide = false, typed, act, onDone, onProposed, onClose, children } = props;
  const [word, setWord] = useState('');
  const done = (value: T) => {
    onClose();
    onDone(value);
  };
  const proposed = () => {
    onClose();
    onProposed?.();
  };
  const { isBusy, problem, submit } = useSubmitted<T>(done, proposed);
  const isReady = typed === undefined || word.trim().toUpperCase() === typed;
  const send = (event: Event) => {
    event.preventDefault();
    if (isReady) void submit(act);
  };
  return html`<${Dialog} title=${title} wide=${wide} onClose=${onClose}>
    <form onSubmit=${send}>
      ${children}
      ${
        typed !== undefined &&
        html`<${Field}
          label=${tell('Type <strong>{word}</strong> to confirm', { word: typed })}
          value=${word}
          onInput=${setWord}
          more=${{ autocomplete: 'off', autocapitalize: 'characters', spellcheck: false }}
        />`
      }
      ${problem && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons">
        <button type="submit" class=${isDangerous ? 'dangerous' : 'main'} disabled=${!isReady || isBusy}>${action}</button>
        <button type="button" autofocus=${isDangerous && typed === undefined} onClick=${onClose}>${say('Go back')}</button>
      </p>
    </form>
  <//>`;
}

interface DialogButtonProps {
  readonly text: string;
  readonly className?: string;
  /** What it is called where its text alone would say too little. */
  readonly label?: string;
  /** The dialog, which is given how to close it. */
  readonly children: (close: () => void) => Content;
}

/** A button that opens a dialog. */
export function DialogButton({ text, className, label, children }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return html`<button type="button" class=${className} aria-label=${label} onClick=${() => setOpen(true)}>${text}</button>
    ${isOpen && children(() => setOpen(false))}`;
}

interface ConfirmButtonProps<T>
  extends Omit<ConfirmProps<T>, 'onClose'>,
    Pick<DialogButtonProps, 'text' | 'className' | 'label'> {}

/** A button that asks before it does something. */
export function ConfirmButton<T>({ text, className, label, ...confirm }: ConfirmButtonProps<T>) {
  const dialog = (close: () => void) => html`<${Confirm} ...${confirm} onClose=${close} />`;
  return html`<${DialogButton} text=${text} className=${className} label=${label}>${dialog}<//>`;
}
