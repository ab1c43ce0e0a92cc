import { html } from '../ground/html.ts';
import { type Language, languages } from '../ground/languages.ts';
import { pageHtml } from './layout.ts';
import { favicon } from './llms.ts';
import { assetsOf, link, type PortalOffer, routeIn, type Site, siteIn } from './site.ts';
import { type ShownStatus, statusPage } from './status.ts';
import { feedRoute, statusFeed } from './status-feed.ts';

/** The script of the pages asks the service for the rest. */
type ExportedStatus = Omit<ShownStatus, 'current'>;

/**
 * The status page as files for another host, by their paths, one character a byte: the history as it is now, and a
 * script that asks the service how it is, and says so when it does not answer.
 */
export function exportedStatus(offer: PortalOffer, status: ExportedStatus): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const language of languages) {
    const site: Site = { ...siteIn(offer, language), isElsewhere: true };
    const folder = language === 'en' ? '' : `${language}/`;
    files.set(`${folder}index.html`, localPage(site, status));
    files.set(`${folder}feed.atom`, utf8(statusFeed(site, status.history, status.written, status.now)));
    for (const { route, text } of assetsOf(site)) files.set(route.slice(1), text);
  }
  return files.set('favicon.svg', favicon);
}

/** All links lead to the service, but for those between the exported files. */
function localPage(site: Site, status: ExportedStatus): string {
  const top = site.language === 'en' ? './' : '../';
  const pages = languages.map((language) => [
    link({ ...site, language }, '/status'),
    folderFrom(site.language, language),
  ]);
  const local: readonly (readonly string[])[] = [
    [`${site.baseUrl}/assets/`, `${top}assets/`],
    [`${site.baseUrl}/favicon.svg`, `${top}favicon.svg`],
    [`${site.baseUrl}${routeIn(site, feedRoute)}`, './feed.atom'],
  ];
  const page = statusPage(site, { ...status, current: undefined });
  let text = pageHtml(site, page).replace('<meta charset="utf-8">\n', `<meta charset="utf-8">\n${policyOf(site)}`);
  for (const [address, path] of local) text = text.replaceAll(`="${html`${address}`.text}`, `="${path}`);
  for (const [address, path] of pages) text = text.replaceAll(`="${html`${address}`.text}"`, `="${path}"`);
  return text;
}

function folderFrom(here: Language, there: Language): string {
  if (here === there) return './';
  return there === 'en' ? '../' : `./${there}/`;
}

/** Scripts of its own folder only, and answers of this host and the service only (CSP level 3). */
function policyOf({ baseUrl }: Site): string {
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ${new URL(baseUrl).origin}; base-uri 'none'; form-action 'none'`;
  return html`<meta http-equiv="Content-Security-Policy" content="${policy}">\n`.text;
}

function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
