import { byId } from './elements.ts';
import { say } from './words.ts';

/** The key, in the memory of this page and nowhere else. */
let key = '';

/** What was typed so far; empty when nothing was. */
export function currentKey(): string {
  return key;
}

/** Makes the field work: it is read as it is typed, and emptied when the page is left. */
export function startKeyField(changed: () => void): void {
  const bar = document.querySelector<HTMLElement>('.key-bar');
  if (bar === null) return;
  const field = byId('api-key') as HTMLInputElement;
  const shown = byId('api-key-shown');
  bar.hidden = false;
  field.addEventListener('input', () => {
    key = field.value.trim();
    changed();
  });
  shown.addEventListener('click', () => {
    const isShown = field.type === 'password';
    field.type = isShown ? 'text' : 'password';
    shown.setAttribute('aria-pressed', String(isShown));
    shown.textContent = say(isShown ? 'Hide' : 'Show');
  });
  addEventListener('pagehide', () => {
    field.value = '';
    key = '';
  });
}

/** Leads to the field when a request needs a key and there is none. */
export function askForKey(): void {
  byId('api-key').focus();
}
