import { element } from './elements.ts';

/** What a form asks for. */
export interface Request {
  /** With its question mark; empty without parameters. */
  readonly query: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export function requestOf(form: HTMLFormElement): Request {
  const query = new URLSearchParams();
  const headers: [string, string][] = [];
  for (const field of fieldsOf(form)) {
    const value = field.value.trim();
    if (value === '') continue;
    if (field.dataset.in === 'query') query.append(field.name, value);
    else headers.push([field.name, value]);
  }
  return { query: query.size === 0 ? '' : `?${query}`, headers };
}

function fieldsOf(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>('input[data-in]')];
}

/** How each language of the samples writes a value. */
const quoting: Readonly<Record<string, (value: string) => string>> = {
  sh: (value) => encodeURIComponent(value).replaceAll("'", '%27'),
  python: (value) => JSON.stringify(value).slice(1, -1),
  ts: (value) => JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'"),
};

/** Fills the samples from the form, now and whenever it changes. They never hold the key. */
export function fillSamples(form: HTMLFormElement): void {
  for (const field of fieldsOf(form).filter(({ dataset }) => dataset.in === 'query')) markExample(field);
  const fill = () => {
    for (const field of fieldsOf(form)) {
      const value = field.value.trim() || (field.dataset.example ?? '');
      for (const [language, quote] of Object.entries(quoting)) {
        for (const place of placesIn(language, field.name)) place.textContent = quote(value);
      }
    }
    fillHeaders(requestOf(form));
  };
  form.addEventListener('input', fill);
  fill();
}

function placesIn(language: string, name: string): Element[] {
  return [...document.querySelectorAll(`.tabs .panel[data-language="${language}"] [data-fill="${CSS.escape(name)}"]`)];
}

/** Finds the example's value in the samples and puts it into an element of its own. */
function markExample({ name, dataset: { example = '' } }: HTMLInputElement): void {
  for (const code of document.querySelectorAll('.tabs code')) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const text of texts) {
      const at = text.data.indexOf(example);
      if (at === -1 || example === '') continue;
      const value = text.splitText(at);
      value.splitText(example.length);
      value.replaceWith(element('span', { 'data-fill': name }, example));
    }
  }
}

/** Puts optional headers that have a value into the curl command, before the address at its end. */
function fillHeaders({ headers }: Request): void {
  const code = document.querySelector('.tabs .panel[data-language="sh"] code');
  const address = code?.querySelector(':scope > .t-s:last-of-type');
  if (code === null || address === null || address === undefined) return;
  code.querySelector('.extra')?.remove();
  const lines = headers.map(([name, value]) => `-H '${`${name}: ${value}`.replaceAll("'", "'\\''")}' \\\n  `);
  if (lines.length > 0) address.before(element('span', { class: 'extra t-s' }, ...lines));
}
