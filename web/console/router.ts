import { Store } from './store.ts';

/** Where the address says we are: `#/markets/BTCEUR?tab=x` has the segments `markets`, `BTCEUR`. */
export interface Route {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** What stands behind the `#` is read by the page alone: no proxy needs to know the console's addresses. */
function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return { segments: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const route = new Store<Route>(readRoute());
addEventListener('hashchange', () => route.set(readRoute()));

/** The address of a page: `hrefTo('markets', 'BTCEUR')`. Parts of the query that are empty are left out. */
export function hrefTo(...segments: readonly string[]): string {
  return `#/${segments.map(encodeURIComponent).join('/')}`;
}

/** The same with a query, without its empty parts. */
export function hrefWith(segments: readonly string[], query: Readonly<Record<string, string>>): string {
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(filled).toString();
  return `${hrefTo(...segments)}${text === '' ? '' : `?${text}`}`;
}

export function goTo(href: string): void {
  location.hash = href;
}

/** Changes the address without a new entry in the history: for filters, typed letter by letter. */
export function replaceWith(href: string): void {
  history.replaceState(null, '', href);
  route.set(readRoute());
}
