import { readFileSync } from 'node:fs';
import { type Fragment, type Html, html, trusted } from '../ground/html.ts';
import { translate } from './language.ts';
import type { Site } from './site.ts';

const names = ['page', 'key-bar', 'try-it', 'live-state', 'subscribe', 'follow-link'] as const;
const templates = new Map(
  names.map((name) => [name, readFileSync(new URL(`templates/${name}.txt`, import.meta.url), 'utf8')] as const),
);

/**
 * A file of `templates/` as HTML: values in its places `{name}`, the words in double braces in the language of the
 * site.
 */
export function fromTemplate(
  site: Pick<Site, 'language'>,
  name: (typeof names)[number],
  values: Readonly<Record<string, Fragment>> = {},
): Html {
  const fill = (_: string, words: string | undefined, place = '') =>
    html`${words === undefined ? values[place] : translate(site, words)}`.text;
  return trusted(templates.get(name)!.replaceAll(/\{\{(.+?)\}\}|\{(\w+)\}/g, fill));
}
