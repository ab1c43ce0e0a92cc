import { useState } from 'preact/hooks';
import { after } from '../clock.ts';
import { type Content, html } from '../html.ts';
import { say } from '../language.ts';
import { Dialog } from './dialog.ts';

const messageForMs = 2_000;

/** Copies a text. Where the browser refuses, over plain HTTP for example, it says to select it by hand. */
function CopyButton({ text, label }: { text: string; label: string }) {
  const [message, setMessage] = useState('');
  const copy = async () => {
    const isCopied = await written(text);
    setMessage(say(isCopied ? 'Copied' : 'Select and copy by hand'));
    after(messageForMs, () => setMessage(''));
  };
  return html`<span class="copy">
    <button type="button" aria-label=${label} onClick=${copy}>${say('Copy')}</button>
    <span role="status">${message}</span>
  </span>`;
}

async function written(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A line to be copied, as code. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  return html`<div class="copy-line"><code tabindex="0">${text}</code><${CopyButton} text=${text} label=${label} /></div>`;
}

interface SecretProps {
  /** What is shown: `The key “trading bot”`. */
  readonly title: string;
  readonly copyLabel: string;
  readonly text: string;
  readonly onClose: () => void;
  /** Below it. */
  readonly children?: Content;
}

/** The only time a secret is shown. Escape does not close it: once closed, the text is gone. */
export function SecretDialog({ title, copyLabel, text, onClose, children }: SecretProps) {
  return html`<${Dialog} title=${title} wide onClose=${() => {}}>
    <p class="note warn"><strong>${say('Copy it now: it is shown this once.')}</strong> ${say('Only its digest is stored, so nobody can look it up again. Give it to its holder over a channel you trust.')}</p>
    <${CopyLine} text=${text} label=${copyLabel} />
    ${children}
    <p class="buttons"><button type="button" class="main" onClick=${onClose}>${say('I have stored it')}</button></p>
  <//>`;
}
