import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Outcome, Problem } from '../api/problem.ts';
import { type Content, html } from '../html.ts';
import { ProblemBlock } from './blocks.ts';

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
  /** What the button says: the deed itself, never "OK". */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** What has to be typed before the button works. */
  readonly typed?: string;
  readonly act: () => Promise<Outcome<T>>;
  readonly onDone: (value: T) => void;
  readonly onClose: () => void;
  readonly children?: Content;
}

/** Asks before something that others will notice, does it, and stays with the reason when it was refused. */
export function Confirm<T>(props: ConfirmProps<T>) {
  const { title, action, isDangerous = false, typed, act, onDone, onClose, children } = props;
  const [word, setWord] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const isReady = typed === undefined || word.trim().toUpperCase() === typed;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!isReady || isBusy) return;
    setBusy(true);
    const outcome = await act();
    setBusy(false);
    if (!outcome.ok) return setProblem(outcome.problem);
    onClose();
    onDone(outcome.value);
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${submit}>
      ${children}
      ${typed !== undefined && html`<${TypedWord} wanted=${typed} word=${word} setWord=${setWord} />`}
      ${problem && html`<${ProblemBlock} problem=${problem} />`}
      <p class="buttons">
        <button type="submit" class=${isDangerous ? 'dangerous' : 'main'} disabled=${!isReady || isBusy}>${action}</button>
        <button type="button" autofocus=${isDangerous && typed === undefined} onClick=${onClose}>Go back</button>
      </p>
    </form>
  <//>`;
}

function TypedWord({ wanted, word, setWord }: { wanted: string; word: string; setWord: (word: string) => void }) {
  const id = useId();
  return html`<p class="field">
    <label for=${id}>Type <strong>${wanted}</strong> to confirm</label>
    <input
      id=${id}
      type="text"
      autocomplete="off"
      autocapitalize="characters"
      spellcheck=${false}
      value=${word}
      onInput=${(event: Event) => setWord((event.target as HTMLInputElement).value)}
    />
  </p>`;
}
