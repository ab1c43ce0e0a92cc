import { Store } from './store.ts';

/** Where the address says we are: `#/markets/BTCEUR?tab=x` has the segments `markets`, `BTCEUR`. */
interface Route {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** Only the page reads what follows the `#`: no proxy needs to know the console's addresses. */
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

const placeKey = 'mdapi-console-place';

/** Goes to a page outside the console that leads back to it, but forgets what follows the `#`. */
export function visit(path: string): void {
  sessionStorage.setItem(placeKey, location.hash);
  location.assign(path);
}

function returnToPlace(): void {
  const place = sessionStorage.getItem(placeKey);
  sessionStorage.removeItem(placeKey);
  if (place !== null && location.hash === '')
    history.replaceState(null, '', location.pathname + location.search + place);
}

returnToPlace();
export const route = new Store<Route>(readRoute());
addEventListener('hashchange', () => route.set(readRoute()));

/** The address of a page: `hrefTo('markets', 'BTCEUR')`. */
export function hrefTo(...segments: readonly string[]): string {
  return `#/${segments.map(encodeURIComponent).join('/')}`;
}

/** The same with a query. */
export function hrefWith(segments: readonly string[], query: Readonly<Record<string, string>>): string {
  return withQuery(hrefTo(...segments), query);
}

/** `accounts?query=x`, without the empty parts of the query. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return text === '' ? path : `${path}?${text}`;
}

export function goTo(href: string): void {
  location.hash = href;
}

/** Changes the address without a new entry in the history: for filters, typed letter by letter. */
export function replaceWith(href: string): void {
  history.replaceState(null, '', href);
  route.set(readRoute());
}
