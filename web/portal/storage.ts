type Place = 'localStorage' | 'sessionStorage';

/** Stores a text for later pages; an empty one removes it. Does nothing where the browser forbids storage. */
export function storeText(place: Place, name: string, text: string): void {
  try {
    if (text === '') window[place].removeItem(name);
    else window[place].setItem(name, text);
  } catch {}
}

/** The text stored under a name; empty when there is none. */
export function storedText(place: Place, name: string): string {
  try {
    return window[place].getItem(name) ?? '';
  } catch {
    return '';
  }
}
