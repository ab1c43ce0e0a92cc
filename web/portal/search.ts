import { element, setText } from './elements.ts';
import { say } from './words.ts';

/** A part of a page as the index has it. */
interface Section {
  readonly url: string;
  readonly page: string;
  readonly section?: string;
  readonly text: string;
}

interface Entry extends Section {
  readonly names: string;
  readonly words: string;
}

/** Words for a matter that other pages name too, or name otherwise, and the page that is about it. */
const matters: readonly (readonly [asked: RegExp, route: RegExp])[] = [
  [/^(web ?-?sockets?|wss?|sse|streams?|streaming|push|webhooks?|real ?-?time)$/, /\/guides\/polling(#|$)/],
  [/^(rate ?-?limit(s|ing|ed)?|retry ?-?after|throttl(e|ed|ing)|quotas?|429|kvota|omezeni)$/, /\/guides\/limits(#|$)/],
  [/^(postman|insomnia|bruno|swagger|open ?-?api|json ?schema|schema)$/, /\/docs\/openapi(#|$)/],
];
/** More than a word in a name weighs. */
const matterWeight = 100;

const shownMax = 12;
const aroundCharacters = 60;

/** The button of every page and its dialog: searches in the reader's browser, in an index that this service serves. */
export function startSearch(): void {
  const button = document.getElementById('search-button');
  if (button === null) return;
  button.hidden = false;
  let dialog: HTMLDialogElement | undefined;
  const open = () => {
    dialog ??= makeDialog(button.dataset.index ?? '');
    if (!dialog.open) dialog.showModal();
  };
  button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isShortcut = event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isShortcut || isTyping(event.target)) return;
    event.preventDefault();
    open();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type !== 'radio';
}

function makeDialog(address: string): HTMLDialogElement {
  const title = say('Search the documentation');
  const field = element('input', {
    type: 'text',
    role: 'searchbox',
    'aria-label': title,
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const close = element('button', { type: 'button', class: 'plain' }, say('Close'));
  const outcome = element('p', { class: 'quiet small', role: 'status' }, say('Type a word or several.'));
  const list = element('ol', { class: 'found', 'aria-label': say('Results') });
  const top = element('div', { class: 'search-top' }, field, close);
  const dialog = element('dialog', { class: 'search', 'aria-label': title }, top, outcome, list);
  document.body.append(dialog);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('keydown', (event) => moveFocus(event, [field, ...list.querySelectorAll('a')]));
  // An anchor of the same page leaves the page as it is.
  list.addEventListener('click', ({ target }) => target instanceof Element && target.closest('a') && dialog.close());
  let index: Promise<readonly Entry[]> | undefined;
  const search = async () => {
    index ??= loadIndex(address);
    const entries = await index.catch(() => undefined);
    if (entries === undefined) index = undefined;
    showFound(entries, field.value, outcome, list);
  };
  field.addEventListener('input', () => void search());
  return dialog;
}

/** Arrows lead from the field through the results and back. */
function moveFocus(event: KeyboardEvent, stops: readonly HTMLElement[]): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[Math.max(0, at + step)]?.focus();
  event.preventDefault();
}

async function loadIndex(address: string): Promise<readonly Entry[]> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`answered ${response.status}`);
  const sections = (await response.json()) as readonly Section[];
  return sections.map((each) => ({
    ...each,
    names: folded(`${each.page} ${each.section ?? ''}`),
    words: folded(each.text),
  }));
}

/** Without case and accents, so that both spellings are found. Keeps the length of the usual letters. */
function folded(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function showFound(entries: readonly Entry[] | undefined, query: string, outcome: Element, list: Element): void {
  const terms = folded(query)
    .split(/\s+/)
    .filter((term) => term !== '');
  const matter = matters.find(([asked]) => asked.test(terms.join(' ')))?.[1];
  const found = entries === undefined || terms.length === 0 ? [] : best(entries, terms, matter);
  list.replaceChildren(...found.map((entry) => resultItem(entry, terms)));
  if (entries === undefined) setText(outcome, say('The index cannot be loaded.'));
  else if (terms.length === 0) setText(outcome, say('Type a word or several.'));
  else
    setText(
      outcome,
      found.length === 0 ? say('Nothing was found.') : say('Results: {count}.', { count: found.length }),
    );
}

/**
 * The parts that have every term, those with the terms in their names first, and before all the page that is about
 * them.
 */
function best(entries: readonly Entry[], terms: readonly string[], matter: RegExp | undefined): readonly Entry[] {
  const weighed = entries.flatMap((entry) => {
    const weights = terms.map((term) => weightOf(entry, term));
    const isAbout = matter?.test(entry.url) === true;
    if (weights.includes(0) && !isAbout) return [];
    // The beginning of the page comes first, and its sections in their order.
    const more = isAbout ? matterWeight + (entry.section === undefined ? 1 : 0) : 0;
    return [{ entry, weight: isAbout ? more : weights.reduce((sum, each) => sum + each, 0) }];
  });
  return weighed
    .sort((one, other) => other.weight - one.weight)
    .slice(0, shownMax)
    .map(({ entry }) => entry);
}

function weightOf({ names, words }: Entry, term: string): number {
  const inNames = names.includes(term) ? (startsWord(names, term) ? 20 : 8) : 0;
  if (!words.includes(term)) return inNames;
  return inNames + (startsWord(words, term) ? 4 : 1) + Math.min(3, words.split(term).length - 2);
}

function startsWord(text: string, term: string): boolean {
  return ` ${text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')}`.includes(` ${term}`);
}

function resultItem({ url, page, section, text, words }: Entry, terms: readonly string[]): HTMLElement {
  const name = section === undefined ? page : `${page}: ${section}`;
  return element(
    'li',
    {},
    element('a', { href: url }, name),
    element('p', { class: 'quiet small' }, ...excerpt(text, words, terms)),
  );
}

/** The text around the first term, with the term marked. */
function excerpt(text: string, words: string, terms: readonly string[]): (Node | string)[] {
  const [term = ''] = terms.filter((each) => words.includes(each));
  // Letters that fold to more than one would shift what is marked: then the beginning is shown.
  const at = words.length === text.length && term !== '' ? words.indexOf(term) : -1;
  if (at === -1) return [text.slice(0, 2 * aroundCharacters)];
  const from = Math.max(0, at - aroundCharacters);
  const end = at + term.length;
  const before = `${from > 0 ? '... ' : ''}${text.slice(from, at)}`;
  return [before, element('mark', {}, text.slice(at, end)), text.slice(end, end + aroundCharacters)];
}
