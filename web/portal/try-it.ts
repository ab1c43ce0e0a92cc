import { steadyMs, timeoutSignal } from './clock.ts';
import { byId, copyable, element, setText } from './elements.ts';
import { askForKey, currentKey, startKeyField } from './key-field.ts';
import { fillSamples, type Request, requestOf } from './samples.ts';
import { say } from './words.ts';

const timeoutMs = 15_000;
const marketsTimeoutMs = 10_000;
/** A whole key, so that no half-typed one counts as failed authentication. */
const wholeKey = /^mdk_[0-9A-Za-z]{38}$/;
/** Longer bodies are truncated in the page. */
const shownCharactersMax = 40_000;

interface Market {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly status: string;
}

/** Makes the form of the page work. */
function start(form: HTMLFormElement): void {
  const outcome = form.querySelector<HTMLElement>('.outcome')!;
  startKeyField(() => {
    if (outcome.classList.contains('missing')) show(outcome, '', '');
  });
  startSymbolPicker(form);
  fillSamples(form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form.dataset.keyHeader === undefined || currentKey() !== '') return void run(form, outcome);
    show(outcome, 'bad missing', say('Enter an API key first.'));
    askForKey();
  });
  form.hidden = false;
}

function show(outcome: HTMLElement, kind: string, text: string): void {
  outcome.className = `outcome ${kind}`;
  outcome.textContent = text;
}

async function run(form: HTMLFormElement, outcome: HTMLElement): Promise<void> {
  const result = form.querySelector<HTMLElement>('.result')!;
  const button = form.querySelector('button')!;
  button.disabled = true;
  show(outcome, '', say('Sending ...'));
  const started = steadyMs();
  try {
    const { response, text } = await send(form, requestOf(form));
    const status = `${response.status} ${response.statusText}`.trim();
    const kind = response.ok || response.status === 304 ? 'good' : 'bad';
    show(outcome, kind, say('{status} in {duration} ms', { status, duration: Math.round(steadyMs() - started) }));
    result.replaceChildren(...answerBlocks(form, response, text));
  } catch {
    show(outcome, 'bad', say('No answer. The service cannot be reached from here, or took too long.'));
    result.replaceChildren();
  }
  button.disabled = false;
}

async function send(form: HTMLFormElement, { query, headers }: Request): Promise<{ response: Response; text: string }> {
  const { path = '', keyHeader } = form.dataset;
  const sent = new Headers([
    ['Accept', 'application/json'],
    ...headers.map(([name, value]) => [name, value] as [string, string]),
  ]);
  if (keyHeader !== undefined) sent.set(keyHeader, currentKey());
  const options = { headers: sent, cache: 'no-store', credentials: 'omit', signal: timeoutSignal(timeoutMs) } as const;
  const response = await fetch(path + query, options);
  return { response, text: await response.text() };
}

function answerBlocks(form: HTMLFormElement, response: Response, text: string): HTMLElement[] {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const blocks = [block(form, say('Headers'), [headers])];
  if (text !== '') blocks.unshift(block(form, say('Body'), coloured(shownBody(text))));
  return blocks;
}

/** A block of code under a small heading. */
function block(form: HTMLFormElement, title: string, parts: readonly (Node | string)[]): HTMLElement {
  const label = `${title}: ${form.dataset.path}`;
  const code = element('code', {}, ...parts);
  const content = element('pre', { tabindex: '0', role: 'region', 'aria-label': label }, code);
  return element('div', { class: 'part' }, element('p', { class: 'quiet small' }, title), copyable(content));
}

/** JSON in the colours that the samples have. */
function coloured(text: string): (Node | string)[] {
  const parts = text.split(/("(?:[^"\\\n]|\\.)*"(?=:)|"(?:[^"\\\n]|\\.)*"|-?\b\d[\d.]*|\b(?:true|false|null)\b)/);
  return parts.map((part, index) => {
    if (index % 2 === 0) return part;
    const isName = part.startsWith('"') && parts[index + 1]?.startsWith(':');
    return element('span', { class: isName ? 't-p' : part.startsWith('"') ? 't-s' : 't-n' }, part);
  });
}

function shownBody(text: string): string {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {}
  if (shown.length <= shownCharactersMax) return shown;
  const more = say('... {count} more characters', { count: shown.length - shownCharactersMax });
  return `${shown.slice(0, shownCharactersMax)}\n${more}`;
}

/**
 * Offers the markets in the field for the symbol, once a key is there and the field is entered: loading them is a
 * request of that key.
 */
function startSymbolPicker(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>('input[list="symbols"]');
  if (field === null) return;
  let loadedWith = '';
  field.addEventListener('focus', () => {
    const key = currentKey();
    if (key === loadedWith || !wholeKey.test(key)) return;
    loadedWith = key;
    void offerMarkets(form.dataset.markets ?? '', form.dataset.keyHeader ?? '', key);
  });
}

async function offerMarkets(address: string, keyHeader: string, key: string): Promise<void> {
  const note = byId('symbols-note');
  const options = {
    headers: { [keyHeader]: key },
    cache: 'no-store',
    signal: timeoutSignal(marketsTimeoutMs),
  } as const;
  const response = await fetch(address, options).catch(() => undefined);
  if (response === undefined || !response.ok) {
    setText(note, say('The markets cannot be loaded: {status}.', { status: response?.status ?? '-' }));
    return;
  }
  const { markets } = (await response.json()) as { readonly markets: readonly Market[] };
  const offered = markets.filter(({ status }) => status !== 'delisted');
  const choices = offered.map(({ symbol, base, quote, status }) =>
    element('option', { value: symbol }, `${base} / ${quote}, ${status}`),
  );
  byId('symbols').replaceChildren(...choices);
  setText(note, say('{count} markets to choose from.', { count: offered.length }));
}

for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) start(form);
