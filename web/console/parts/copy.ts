import { useState } from 'preact/hooks';
import { after } from '../clock.ts';
import { html } from '../html.ts';

const messageForMs = 2_000;

/** Copies a text. Where the browser refuses, over plain HTTP for example, it says to select it by hand. */
function CopyButton({ text, label }: { text: string; label: string }) {
  const [message, setMessage] = useState('');
  const copy = async () => {
    const isCopied = await written(text);
    setMessage(isCopied ? 'Copied' : 'Select and copy by hand');
    after(messageForMs, () => setMessage(''));
  };
  return html`<span class="copy">
    <button type="button" aria-label=${label} onClick=${copy}>Copy</button>
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
