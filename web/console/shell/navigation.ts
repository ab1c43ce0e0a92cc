import { useEffect, useState } from 'preact/hooks';
import { problemText, signOut } from '../api/client.ts';
import { monotonicMs } from '../clock.ts';
import { html } from '../html.ts';
import { Dialog } from '../parts/dialog.ts';
import { toast } from '../parts/toasts.ts';
import { goTo, hrefTo, route } from '../router.ts';
import { session } from '../state.ts';
import { Store, useStore } from '../store.ts';

/** The pages in the menu, with the letter that leads there after `g`. */
const places = [
  { path: '', text: 'Overview', letter: 'o' },
  { path: 'markets', text: 'Markets', letter: 'm' },
  { path: 'terms', text: 'Terms', letter: 'p' },
  { path: 'feed', text: 'Feed and rates', letter: 'f' },
  { path: 'record', text: 'Record', letter: 'r' },
  { path: 'accounts', text: 'Accounts and keys', letter: 'a' },
  { path: 'usage', text: 'Usage', letter: 'u' },
  { path: 'maintenance', text: 'Maintenance', letter: 'w' },
  { path: 'notices', text: 'Notices', letter: 'n' },
  { path: 'audit', text: 'Audit log', letter: 'l' },
  { path: 'tokens', text: 'Operator tokens', letter: 't' },
] as const;

/** The menu: a column beside the page, or behind a button on a narrow screen. */
export function Navigation({ current, onHelp }: { current: string; onHelp: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const where = useStore(route);
  useEffect(() => setOpen(false), [where]);
  const here = current === 'keys' ? 'accounts' : current;
  return html`<div class="top-row">
      <a class="brand" href=${hrefTo()}><img src="icon.svg" alt="" width="24" height="24" /> <span>Market Data API</span></a>
      <button type="button" class="menu-button" aria-expanded=${isOpen} aria-controls="menu" onClick=${() => setOpen(!isOpen)}>Menu</button>
      <div id="menu" class=${isOpen ? 'menu open' : 'menu'}>
        <nav aria-label="Pages"><ul>
          ${places.map(
            ({ path, text }) =>
              html`<li key=${path}><a href=${path === '' ? hrefTo() : hrefTo(path)} aria-current=${path === here ? 'page' : undefined}>${text}</a></li>`,
          )}
        </ul></nav>
        <${Operator} onHelp=${onHelp} />
      </div>
    </div>`;
}

function Operator({ onHelp }: { onHelp: () => void }) {
  const current = useStore(session);
  const leave = async () => {
    const outcome = await signOut();
    if (!outcome.ok) toast(problemText(outcome.problem), 'bad');
  };
  return html`<div class="operator">
    <p class="small">Signed in as<br /><strong>${current.state === 'in' && current.operator}</strong><br />${current.state === 'in' && `role: ${current.role}`}</p>
    <p class="buttons"><button type="button" onClick=${leave}>Sign out</button><button type="button" onClick=${onHelp}>Keyboard</button></p>
  </div>`;
}

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
