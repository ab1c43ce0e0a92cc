import { timeoutSignal } from './clock.ts';
import { byId, element, setText } from './elements.ts';
import { currentKey } from './key-field.ts';
import { say } from './words.ts';

interface Market {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly status: string;
}

const timeoutMs = 10_000;
/** A whole key, so that no half-typed one counts as failed authentication. */
const wholeKey = /^mdk_[0-9A-Za-z]{38}$/;

/**
 * Offers the markets in the field for the symbol, once a key is there and the field is entered: loading them is a request
 * of that key.
 */
export function startSymbolPicker(form: HTMLFormElement): void {
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
  const options = { headers: { [keyHeader]: key }, cache: 'no-store', signal: timeoutSignal(timeoutMs) } as const;
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
