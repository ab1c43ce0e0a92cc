import { copyable } from './elements.ts';
import { startSearch } from './search.ts';
import { storedText, storeText } from './storage.ts';

const languageEntry = 'portal-language';

/** Applies a chosen language to all samples, also on later pages. */
function followLanguage(): void {
  const choose = (language: string) => {
    for (const input of document.querySelectorAll<HTMLInputElement>(`.tabs input[value="${CSS.escape(language)}"]`)) {
      input.checked = true;
    }
  };
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.closest('.tabs') === null) return;
    const top = target.getBoundingClientRect().top;
    choose(target.value);
    // Blocks above may have changed their height: keep the chosen tab in place.
    scrollBy(0, target.getBoundingClientRect().top - top);
    storeText('localStorage', languageEntry, target.value);
  });
  choose(storedText('localStorage', languageEntry));
}

/** The entry of the table of contents that is being read. */
function followReading(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.contents a[href^="#"]')];
  const headings = links
    .flatMap((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))) ?? [])
    // What stays in sight beside the text is never what is read.
    .filter((heading) => heading.closest('.shown') === null);
  if (headings.length === 0) return;
  const mark = () => {
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 3);
    const current = passed.at(-1) ?? headings[0];
    for (const link of links) {
      if (link.hash === `#${current?.id}`) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
    }
    keepInSight(links.find((link) => link.hasAttribute('aria-current')));
  };
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      mark();
    });
  };
  addEventListener('scroll', soon, { passive: true });
  mark();
}

function keepInSight(link: HTMLAnchorElement | undefined): void {
  const list = link?.closest<HTMLElement>('.contents');
  if (link === undefined || list === null || list === undefined || list.scrollHeight <= list.clientHeight) return;
  const [box, frame] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  if (box.top < frame.top) list.scrollTop += box.top - frame.top;
  else if (box.bottom > frame.bottom) list.scrollTop += box.bottom - frame.bottom;
}

/** On wide screens the contents are shown whole; browsers that cannot show a folded list need it open. */
function unfoldContents(): void {
  const wide = matchMedia('(min-width: 60.01rem)');
  const fold = () => {
    for (const list of document.querySelectorAll<HTMLDetailsElement>('.contents > details')) list.open = wide.matches;
  };
  wide.addEventListener('change', fold);
  fold();
}

unfoldContents();
for (const block of document.querySelectorAll('pre')) {
  const { parentNode, nextSibling } = block;
  parentNode?.insertBefore(copyable(block), nextSibling);
}
followLanguage();
followReading();
startSearch();
