import { translate } from './language.ts';
import type { RenderedPage } from './layout.ts';
import { link, nameOf, type Site } from './site.ts';

/** A section of a page. */
interface Section {
  /** Address within this listener, with the anchor. */
  readonly url: string;
  readonly page: string;
  /** Absent for the part above the first heading of the second level. */
  readonly section?: string;
  readonly text: string;
}

/** All that the search of the pages looks through, as the script reads it. */
export function searchIndex(site: Site, pages: readonly RenderedPage[]): string {
  return JSON.stringify(pages.flatMap((page) => sectionsOf(site, page)));
}

function sectionsOf(site: Site, { page, html, markdown }: RenderedPage): readonly Section[] {
  const { route } = page;
  const title = translate(site, page.title ?? nameOf(site));
  const [first = '', ...rest] = markdown.split(/^(?=## )/m);
  const whole: Section = { url: link(site, route), page: title, text: plain(first.replace(/^# .*$/m, '')) };
  // The Markdown has no anchors; its sections are those of the HTML, in the same order.
  const anchors = [...html.matchAll(/<h2 id="([^"]*)"/g)].map(([, id = '']) =>
    id.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))),
  );
  const below = rest.map(
    (text, index): Section => ({
      url: link(site, `${route}#${anchors[index]}`),
      page: title,
      section: /^## (.*)$/m.exec(text)?.[1] ?? '',
      text: plain(text.replace(/^## .*$/m, '')),
    }),
  );
  return [whole, ...below].filter(({ text }) => text !== '');
}

/** The words of a Markdown text. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^)\s]*\)/g, '')
    .replaceAll(/^```\w*$/gm, '')
    .replaceAll(/^[#>*-]+ |[`*[\]|\\]|-{3,}/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
