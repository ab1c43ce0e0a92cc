import { useEffect, useId, useState } from 'preact/hooks';
import type { AccountList, KeyList, MarketList, TermList, WindowList } from '../../generated/management-v1.d.ts';
import { after } from '../clock.ts';
import { classes, html } from '../html.ts';
import { say, word } from '../language.ts';
import { usePolled } from '../live/polled.ts';
import { Badge } from '../parts/blocks.ts';
import { Dialog } from '../parts/dialog.ts';
import { keyTextOf } from '../record/questions.ts';
import { goTo, hrefWith, withQuery } from '../router.ts';
import { type Hit, hitsOf } from './hits.ts';

/** The search for everything: a button, `/`, or Ctrl-K. */
export function SearchEverywhere() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isSearchKey(event) || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return html`<button type="button" class="search-button" aria-label=${say('Search everywhere')} aria-keyshortcuts="/ Control+K" onClick=${() => setOpen(true)}>${say('Search')} <kbd aria-hidden="true">/</kbd></button>
    ${isOpen && html`<${SearchDialog} onClose=${() => setOpen(false)} />`}`;
}

/** A slash that is typed into a field belongs to it. */
function isSearchKey({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (key.toLowerCase() === 'k' && (ctrlKey || metaKey)) return true;
  const isTyped = target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
  return key === '/' && !ctrlKey && !metaKey && !altKey && !isTyped;
}

const everyMs = 30_000;
const pauseMs = 200;

function SearchDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const query = useLater(keyTextOf(text));
  const asked = (path: string) => (query === '' ? undefined : path);
  const markets = usePolled<MarketList>('markets', everyMs);
  const windows = usePolled<WindowList>('maintenance', everyMs);
  const terms = usePolled<TermList>('terms', everyMs);
  const accounts = usePolled<AccountList>(asked(withQuery('accounts', { query, limit: '6' })), everyMs);
  const keys = usePolled<KeyList>(asked(withQuery('keys', { query, limit: '6' })), everyMs);
  const answers = [markets, windows, terms, accounts, keys];
  const isComplete = query === keyTextOf(text) && answers.every(({ value, problem }) => value ?? problem);
  const hits = hitsOf(query, {
    markets: markets.value?.markets ?? [],
    accounts: accounts.value?.accounts ?? [],
    keys: keys.value?.keys ?? [],
    windows: windows.value?.windows ?? [],
    terms: terms.value?.terms ?? [],
  });
  const [isWanted, setWanted] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    setWanted(true);
  };
  // Who presses Enter before all has come gets the first hit of all, too.
  useEffect(() => {
    if (!isWanted || !isComplete || hits[0] === undefined) return;
    onClose();
    goTo(hrefOf(hits[0]));
  });
  const type = (event: Event) => {
    setWanted(false);
    setText((event.target as HTMLInputElement).value);
  };
  const id = useId();
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.isComposing) {
      // A search field would only empty itself, and the dialog would stay.
      event.preventDefault();
      onClose();
    } else moveBetweenHits(event);
  };
  return html`<${Dialog} title=${say('Search everywhere')} wide onClose=${onClose}>
    <form class="everywhere" role="search" onSubmit=${submit} onKeyDown=${press}>
      <p class="field">
        <label class="visually-hidden" for=${id}>${say('Search everywhere')}</label>
        <input id=${id} type="search" autocomplete="off" spellcheck=${false} autofocus value=${text} aria-describedby=${`${id}-hint`} onInput=${type} />
        <span id=${`${id}-hint`} class="hint">${say('A market, an e-mail address, the ending of a key, a request id, maintenance or a term.')}</span>
      </p>
      <ul class="hits">${hits.map((hit, at) => html`<${HitRow} key=${`${hit.kind} ${hit.id}`} hit=${hit} isChosen=${at === 0} onClose=${onClose} />`)}</ul>
      <p class="small" role="status">${query !== '' && hits.length === 0 && (isComplete ? say('Nothing was found.') : say('Loading …'))}</p>
    </form>
  <//>`;
}

interface HitProps {
  readonly hit: Hit;
  /** Opened by Enter from the field. */
  readonly isChosen: boolean;
  readonly onClose: () => void;
}

function HitRow({ hit, isChosen, onClose }: HitProps) {
  const { kind, text, of } = hit;
  return html`<li><a class=${classes(isChosen && 'chosen')} href=${hrefOf(hit)} onClick=${onClose}><${Badge} state=${kind} tone="quiet">${word(kind)}<//> <strong>${text}</strong> ${of && html`<small>${of}</small>`}</a></li>`;
}

function hrefOf({ segments, query = {} }: Hit): string {
  return hrefWith(segments, query);
}

/** The arrow keys go from the field to the hits and between them. */
function moveBetweenHits(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const form = event.currentTarget;
  if (step === 0 || !(form instanceof HTMLElement)) return;
  event.preventDefault();
  const stops = [...form.querySelectorAll<HTMLElement>('input, .hits a')];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[Math.min(stops.length - 1, Math.max(0, at + step))]?.focus();
}

/** A text once it has stayed the same for a moment. */
function useLater(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => after(pauseMs, () => setSettled(text)), [text]);
  return settled;
}
