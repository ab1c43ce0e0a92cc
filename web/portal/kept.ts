type Place = 'localStorage' | 'sessionStorage';

/** Keeps a text for later pages; an empty one removes it. Storage can be forbidden: then nothing is kept. */
export function keep(place: Place, name: string, text: string): void {
  try {
    if (text === '') window[place].removeItem(name);
    else window[place].setItem(name, text);
  } catch {}
}

/** What was kept under the name; empty when nothing was. */
export function kept(place: Place, name: string): string {
  try {
    return window[place].getItem(name) ?? '';
  } catch {
    return '';
  }
}
