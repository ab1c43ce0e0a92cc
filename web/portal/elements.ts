import { after } from './clock.ts';
import { say } from './words.ts';

/** Creates an element with attributes and children. Strings become text, never HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** The element of this id. Throws when the page has none, which is a fault of the page. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found;
}

/** Replaces the text only where it changed, so that it stays selected and is not read out again. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** A block of code with a button that copies it, where the browser allows that. */
export function copyable(block: HTMLElement): HTMLElement {
  return element('div', { class: 'code' }, block, ...(navigator.clipboard === undefined ? [] : [copyButton(block)]));
}

/** Copies the text of a block. Says so to those who look and to those who listen. */
function copyButton(block: HTMLElement): HTMLButtonElement {
  const name = block.getAttribute('aria-label') ?? say('code');
  const button = element(
    'button',
    { type: 'button', class: 'copy', 'aria-label': `${say('Copy')}: ${name}` },
    say('Copy'),
  );
  const tell = (word: string) => {
    button.textContent = word;
    button.setAttribute('aria-label', `${word}: ${name}`);
  };
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(block.textContent ?? '').then(
      () => true,
      () => false,
    );
    tell(say(copied ? 'Copied' : 'Not allowed'));
    after(2_000, () => tell(say('Copy')));
  });
  return button;
}
