import { Page } from '../board/page.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type Language, languages } from '../ground/languages.ts';
import { type Answer, type PageAnswer, type ProblemAnswer, problem } from '../http/answer.ts';
import { preferredLanguage, prefersMarkdown, prefersPage } from '../http/negotiation.ts';
import type { ReadModel, Resource, ResourceRequest } from '../http/resource.ts';
import { type PortalPage, pageHtml, pageMarkdown, type RenderedPage } from './layout.ts';
import { link, markdownRoute, routeIn, type Site } from './site.ts';

const htmlType = 'text/html; charset=utf-8';
const markdownType = 'text/markdown; charset=utf-8';

/** Something in each language of the portal. */
export type InLanguages<T> = Readonly<Record<Language, T>>;

export function inLanguages<T>(make: (language: Language) => T): InLanguages<T> {
  return { en: make('en'), cs: make('cs') };
}

/**
 * The headers of every page in addition to the common ones. A page can load scripts, styles, images and data from this
 * origin only, runs no inline script, sends no form and cannot be framed (CSP level 3), so a mistake in escaping could
 * display something but not run it.
 */
const pageHeaders: readonly string[] = [
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
];

/** The same for a page with a form. Browsers that may say where it was say so when it is sent. */
const formHeaders = pageHeaders.map((value) =>
  value === 'no-referrer' ? 'same-origin' : value.replace("form-action 'none'", "form-action 'self'"),
);

/** Headers that the choice between the forms and languages of a page depends on. */
const varyOfPages = 'Accept, Accept-Encoding, Accept-Language, Sec-Fetch-Site';

function resource(route: string, answer: Resource['answer']): Resource {
  return { route, answersInMaintenance: true, answer };
}

/** A text that never changes while the process runs, kept ready. */
export function fixedText(route: string, text: string, contentType: string): Resource {
  const answer = fixedAnswer(text, contentType, 'Accept-Encoding');
  return resource(route, () => answer);
}

/** A text of what is true now, to be asked for again with its entity tag. */
export function revalidatedText(
  route: string,
  contentType: string,
  textOf: (service: ReadModel['service'], now: EpochMs) => string,
): Resource {
  return resource(route, ({ now }, { service }) => {
    return { ...fixedAnswer(textOf(service, now), contentType, 'Accept-Encoding'), cacheControl: 'public, no-cache' };
  });
}

/** A text of what is true now, never cached. */
export function liveText(
  route: string,
  contentType: string,
  textOf: (service: ReadModel['service'], now: EpochMs) => string,
  extraHeaders: readonly string[] = [],
): Resource {
  return resource(route, ({ now }, { service }) => {
    return { kind: 'text', text: textOf(service, now), contentType, extraHeaders };
  });
}

/** Answers with a page in a language and a form. */
type PageAnswerer = (language: Language, form: 'html' | 'markdown', ...asked: Parameters<Resource['answer']>) => Answer;

/**
 * A page in the reader's language at its own path, in each language at that language's path, as HTML or Markdown,
 * whichever is asked for, and its Markdown twins.
 */
function pageResources(sites: InLanguages<Site>, route: string, answerIn: PageAnswerer): readonly Resource[] {
  return languages.flatMap((language) => [
    resource(routeIn(sites[language], route), (request, sources) => {
      const form = prefersMarkdown(request.headers.accept) ? 'markdown' : 'html';
      return answerIn(language === 'en' ? languageAt(request) : language, form, request, sources);
    }),
    resource(markdownRoute(sites[language], route), (...asked) => answerIn(language, 'markdown', ...asked)),
  ]);
}

/** A page that never changes while the process runs. */
export function fixedPage(sites: InLanguages<Site>, pages: InLanguages<RenderedPage>): readonly Resource[] {
  const answers = inLanguages((language) => ({
    html: fixedAnswer(pages[language].html, htmlType, varyOfPages),
    markdown: fixedAnswer(pages[language].markdown, markdownType, varyOfPages),
  }));
  return pageResources(sites, pages.en.page.route, (language, form) => answers[language][form]);
}

/** Renders a page from what is true now. */
export type LivePage = (site: Site, request: ResourceRequest, sources: ReadModel) => PortalPage;

/** A page that is rendered for each request. */
export function livePage(sites: InLanguages<Site>, route: string, render: LivePage): readonly Resource[] {
  return pageResources(sites, route, (language, form, request, sources) => {
    const site = sites[language];
    const page = render(site, request, sources);
    const vary = ['Vary', varyOfPages];
    return form === 'html'
      ? htmlAnswer(site, page)
      : { kind: 'text', text: pageMarkdown(site, page), contentType: markdownType, extraHeaders: vary };
  });
}

type Submitted = Parameters<NonNullable<Resource['submit']>>;

/** A page with a form that is sent to the page's own address, and answered with another page. */
export function formPage(
  sites: InLanguages<Site>,
  route: string,
  render: LivePage,
  answer: (site: Site, ...submitted: Submitted) => Promise<PortalPage | ProblemAnswer>,
): readonly Resource[] {
  return livePage(sites, route, render).map((each) => {
    const site = Object.values(sites).find((one) => routeIn(one, route) === each.route);
    if (site === undefined) return each;
    const submit = async (...submitted: Submitted) => {
      if (isFromElsewhere(site, submitted[0])) return problem('BAD_REQUEST', 'The form is one of another site.');
      const answered = await answer(site, ...submitted);
      return 'code' in answered ? answered : htmlAnswer(site, answered);
    };
    return { ...each, submit };
  });
}

/** Browsers say where a form was. Programs, such as those that unsubscribe at one click, say nothing. */
function isFromElsewhere({ baseUrl }: Site, { headers }: ResourceRequest): boolean {
  const { origin, 'sec-fetch-site': from } = headers;
  if (from !== undefined) return from !== 'same-origin' && from !== 'none';
  return origin !== undefined && origin !== new URL(baseUrl).origin;
}

function htmlAnswer(site: Site, page: PortalPage): Answer {
  const extraHeaders = [...(page.hasForm ? formHeaders : pageHeaders), 'Vary', varyOfPages];
  return { kind: 'text', status: page.status, text: pageHtml(site, page), contentType: htmlType, extraHeaders };
}

/**
 * The language of a path that has none of its own: only who comes from elsewhere gets what the browser asks for; links
 * here were chosen already.
 */
function languageAt({ headers }: ResourceRequest): Language {
  if (headers['sec-fetch-site'] === 'same-origin' || !prefersPage(headers.accept)) return 'en';
  return preferredLanguage(headers['accept-language'], languages) ?? 'en';
}

/** The root: JSON, or the page for clients that prefer HTML or Markdown (docs/decisions/0004). */
export function rootResource(page: Resource, json: string): Resource {
  const asJson = fixedAnswer(json, 'application/json', varyOfPages);
  return {
    ...page,
    answer: (request, sources) => (prefersPage(request.headers.accept) ? page.answer(request, sources) : asJson),
  };
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

/** The page for people in the place of one that does not exist. */
export function lostResource(route: string, sites: InLanguages<Site>, lost: PortalPage): Resource {
  const texts = inLanguages((language) => pageHtml(sites[language], lost));
  const extraHeaders = [...pageHeaders, 'Vary', varyOfPages];
  return resource(route, (request) => {
    return { kind: 'text', status: 404, text: texts[languageAt(request)], contentType: htmlType, extraHeaders };
  });
}

/** Leads from a path with a slash at its end to the page without it. */
export function slashResource(site: Site, route: string): Resource {
  const location = link({ ...site, language: 'en' }, route);
  return resource(`${route}/`, ({ query }) => {
    return { kind: 'redirect', location: query === '' ? location : `${location}?${query}` };
  });
}
