import { Page } from '../board/page.ts';
import type { PageAnswer, TextAnswer } from '../http/answer.ts';
import { prefersMarkdown, prefersPage } from '../http/negotiation.ts';
import type { Resource } from '../http/resource.ts';
import { type PortalPage, pageHtml, pageMarkdown } from './layout.ts';
import { markdownRoute, type Site } from './site.ts';

const htmlType = 'text/html; charset=utf-8';
const markdownType = 'text/markdown; charset=utf-8';

/**
 * The headers of every page in addition to the common ones. A page can load scripts, styles, images and
 * data from this origin only, runs no inline script, sends no form and cannot be framed (CSP level 3), so
 * a mistake in escaping could display something but not run it.
 */
const pageHeaders: readonly string[] = [
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
];

/** A text that never changes while the process runs, kept ready. */
export function fixedText(route: string, text: string, contentType: string): Resource {
  const answer = fixedAnswer(text, contentType, 'Accept-Encoding');
  return { route, answersInMaintenance: true, answer: () => answer };
}

/** A page that never changes while the process runs: as HTML or Markdown, whichever the client prefers, and its Markdown twin. */
export function fixedPage(site: Site, page: PortalPage): readonly [page: Resource, markdown: Resource] {
  const markdown = pageMarkdown(site, page);
  const asHtml = negotiated(pageHtml(site, page), htmlType);
  const asMarkdown = negotiated(markdown, markdownType);
  return [
    {
      route: page.route,
      answersInMaintenance: true,
      answer: ({ accept }) => (prefersMarkdown(accept) ? asMarkdown : asHtml),
    },
    fixedText(markdownRoute(page.route), markdown, markdownType),
  ];
}

/** The root: JSON, or the page for clients that prefer HTML or Markdown (docs/decisions/0004). */
export function rootResource(page: Resource, json: string): Resource {
  const asJson = negotiated(json, 'application/json');
  return {
    ...page,
    answer: (request, sources) => (prefersPage(request.accept) ? page.answer(request, sources) : asJson),
  };
}

function negotiated(text: string, contentType: string): PageAnswer {
  return fixedAnswer(text, contentType, 'Accept, Accept-Encoding');
}

function fixedAnswer(text: string, contentType: string, vary: string): PageAnswer {
  return {
    kind: 'page',
    // A `Page` writes one byte for each character: text beyond ASCII goes in as the bytes of its UTF-8.
    page: new Page(Buffer.from(text, 'utf8').toString('latin1')),
    contentType,
    cacheControl: 'public, max-age=300',
    vary,
    extraHeaders: contentType === htmlType ? pageHeaders : [],
  };
}

/** A page that is rendered for each request, as HTML or Markdown, and its Markdown twin. */
export function livePage(
  site: Site,
  route: string,
  render: (...request: Parameters<Resource['answer']>) => PortalPage,
): readonly Resource[] {
  const asMarkdown = (page: PortalPage, extraHeaders: readonly string[]): TextAnswer => {
    return { kind: 'text', text: pageMarkdown(site, page), contentType: markdownType, extraHeaders };
  };
  const vary = ['Vary', 'Accept'];
  return [
    {
      route,
      answersInMaintenance: true,
      answer(request, sources) {
        const page = render(request, sources);
        if (prefersMarkdown(request.accept)) return asMarkdown(page, vary);
        const text = pageHtml(site, page);
        return { kind: 'text', text, contentType: htmlType, extraHeaders: [...pageHeaders, ...vary] };
      },
    },
    {
      route: markdownRoute(route),
      answersInMaintenance: true,
      answer: (request, sources) => asMarkdown(render(request, sources), []),
    },
  ];
}
