import { after } from './clock.ts';
import { element } from './elements.ts';

/** Copies the text of a block. Says so to those who look and to those who listen. */
export function copyButton(block: HTMLElement): HTMLButtonElement {
  const name = block.getAttribute('aria-label') ?? 'code';
  const button = element('button', { type: 'button', class: 'copy', 'aria-label': `Copy: ${name}` }, 'Copy');
  const say = (word: string) => {
    button.textContent = word;
    button.setAttribute('aria-label', `${word}: ${name}`);
  };
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(block.textContent ?? '').then(
      () => true,
      () => false,
    );
    say(copied ? 'Copied' : 'Not allowed');
    after(2_000, () => say('Copy'));
  });
  return button;
}
