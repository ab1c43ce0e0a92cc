import { Page } from '../board/page.ts';
import type { PageAnswer, TextAnswer } from '../http/answer.ts';
import { prefersMarkdown } from '../http/negotiation.ts';
import type { Resource } from '../http/resource.ts';
import { type LinkTarget, pageMarkdown } from './page-markdown.ts';
import { pageHeaders } from './policy.ts';
import { link, markdownRoute, type Site } from './site.ts';

export const htmlType = 'text/html; charset=utf-8';
export const markdownType = 'text/markdown; charset=utf-8';

/** A page and its Markdown twin, both ready. */
export interface ReadyPage {
  readonly route: string;
  readonly html: string;
  readonly markdown: string;
}

/** How a page's links read in its twin: whole addresses, those of pages leading to their twins. */
export function twinTarget(site: Site): LinkTarget {
  const root = link(site, '');
  return (href) => {
    if (href.startsWith('#') || !href.startsWith('/')) return href;
    const [path = '', anchor] = href.slice(root.length).split('#');
    const isPage = !/\.[a-z]+$/.test(path) && !path.startsWith('/v1');
    return `${site.baseUrl}${isPage ? markdownRoute(path) : path}${anchor === undefined ? '' : `#${anchor}`}`;
  };
}

/** The page's twin, from its HTML. */
export function twinOf(site: Site, html: string): string {
  return pageMarkdown(html, twinTarget(site));
}

/** A text that never changes while the process runs, kept ready. */
export function fixedText(route: string, text: string, contentType: string): Resource {
  const answer = fixedAnswer(text, contentType, 'Accept-Encoding');
  return { route, answersInMaintenance: true, answer: () => answer };
}

/** A page that never changes while the process runs: as HTML, or as Markdown where that is asked for, and its twin. */
export function fixedPage({ route, html, markdown }: ReadyPage): readonly Resource[] {
  const vary = 'Accept, Accept-Encoding';
  const asHtml = fixedAnswer(html, htmlType, vary);
  const asMarkdown = fixedAnswer(markdown, markdownType, vary);
  return [
    { route, answersInMaintenance: true, answer: ({ accept }) => (prefersMarkdown(accept) ? asMarkdown : asHtml) },
    fixedText(markdownRoute(route), markdown, markdownType),
  ];
}

function fixedAnswer(text: string, contentType: string, vary: string): PageAnswer {
  return {
    kind: 'page',
    page: new Page(inWireForm(text)),
    contentType,
    cacheControl: 'public, max-age=300',
    vary,
    extraHeaders: contentType === htmlType ? pageHeaders : [],
  };
}

/** A `Page` writes one byte for each character: text beyond ASCII goes in as the bytes of its UTF-8. */
export function inWireForm(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** A page made anew for each request, in both of its forms, and its twin. */
export function livePage(
  site: Site,
  route: string,
  render: (...request: Parameters<Resource['answer']>) => string,
): readonly Resource[] {
  const asHtml = (html: string): TextAnswer => ({
    kind: 'text',
    text: html,
    contentType: htmlType,
    extraHeaders: [...pageHeaders, 'Vary', 'Accept'],
  });
  const asMarkdown = (html: string, vary: readonly string[]): TextAnswer => ({
    kind: 'text',
    text: twinOf(site, html),
    contentType: markdownType,
    extraHeaders: vary,
  });
  return [
    {
      route,
      answersInMaintenance: true,
      answer(request, sources) {
        const html = render(request, sources);
        return prefersMarkdown(request.accept) ? asMarkdown(html, ['Vary', 'Accept']) : asHtml(html);
      },
    },
    {
      route: markdownRoute(route),
      answersInMaintenance: true,
      answer: (request, sources) => asMarkdown(render(request, sources), []),
    },
  ];
}
