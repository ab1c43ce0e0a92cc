import { byId } from './elements.ts';
import { storedText, storeText } from './storage.ts';
import { say } from './words.ts';

const entry = 'portal-key';

let key = '';

/** What was typed so far, on this page or an earlier one of the tab; empty when nothing was. */
export function currentKey(): string {
  return key;
}

/**
 * Makes the field work: what is typed is kept for the pages of this tab, until it is forgotten or the tab is closed.
 */
export function startKeyField(changed: () => void): void {
  const bar = document.querySelector<HTMLElement>('.key-bar');
  if (bar === null) return;
  const field = byId('api-key') as HTMLInputElement;
  const forget = byId('api-key-forget');
  const use = (text: string) => {
    key = text.trim();
    forget.hidden = key === '';
    storeText('sessionStorage', entry, key);
    changed();
  };
  const fill = (text: string) => {
    field.value = text;
    use(text);
  };
  field.addEventListener('input', () => use(field.value));
  forget.addEventListener('click', () => {
    fill('');
    field.focus();
  });
  // The key may have changed since the browser cached the page.
  addEventListener('pageshow', () => fill(storedText('sessionStorage', entry)));
  startShowing(field, byId('api-key-shown'));
  bar.hidden = false;
}

function startShowing(field: HTMLInputElement, button: HTMLElement): void {
  button.addEventListener('click', () => {
    const isShown = field.type === 'password';
    field.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isShown));
    button.textContent = say(isShown ? 'Hide' : 'Show');
  });
}

/** Leads to the field when a request needs a key and there is none. */
export function askForKey(): void {
  byId('api-key').focus();
}
