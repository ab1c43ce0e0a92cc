import { useEffect, useState } from 'preact/hooks';
import { monotonicMs } from '../clock.ts';
import { html } from '../html.ts';
import { Dialog } from '../parts/dialog.ts';
import { goTo, hrefTo } from '../router.ts';
import { Store, useStore } from '../store.ts';
import { places } from './navigation.ts';

const chordMaxMs = 1_500;
const storageKey = 'mdapi-console-shortcuts';

/** Whether single letters do anything: who dictates text turns them off (WCAG 2.1.4). */
const areOn = new Store(localStorage.getItem(storageKey) !== 'off');

function setOn(isOn: boolean): void {
  localStorage.setItem(storageKey, isOn ? 'on' : 'off');
  areOn.set(isOn);
}

/** `/` goes to the filter, `g` and a letter to a page, `?` shows them all. */
export function useShortcuts() {
  const [isHelpOpen, setHelpOpen] = useState(false);
  useEffect(() => {
    let chordAtMs = Number.NEGATIVE_INFINITY;
    const pressed = (event: KeyboardEvent) => {
      if (!areOn.value || isTyping(event)) return;
      const isChord = monotonicMs() - chordAtMs < chordMaxMs;
      chordAtMs = event.key === 'g' ? monotonicMs() : Number.NEGATIVE_INFINITY;
      if (isChord) goToLetter(event.key);
      else if (event.key === '?') setHelpOpen(true);
      else if (event.key === '/') focusFilter(event);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  return { isHelpOpen, setHelpOpen };
}

function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return true;
  return target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
}

function goToLetter(letter: string): void {
  const place = places.find((each) => each.letter === letter);
  if (place !== undefined) goTo(place.path === '' ? hrefTo() : hrefTo(place.path));
}

function focusFilter(event: KeyboardEvent): void {
  const filter = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (filter === null) return;
  event.preventDefault();
  filter.focus();
  filter.select();
}

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const isOn = useStore(areOn);
  return html`<${Dialog} title="Keyboard" onClose=${onClose}>
    <dl class="keys">
      <div><dt><kbd>/</kbd></dt><dd>to the filter of the page</dd></div>
      <div><dt><kbd>?</kbd></dt><dd>this list</dd></div>
      ${places.map(({ letter, text }) => html`<div key=${letter}><dt><kbd>g</kbd> <kbd>${letter}</kbd></dt><dd>${text}</dd></div>`)}
    </dl>
    <p><label class="check"><input type="checkbox" checked=${isOn} onChange=${() => setOn(!isOn)} /> Shortcuts with single letters</label></p>
    <p class="buttons"><button type="button" class="main" onClick=${onClose}>Close</button></p>
  <//>`;
}
