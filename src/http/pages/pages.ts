import { Page } from '../../board/page.ts';
import { errorCodes, errorTable } from '../../contract/errors.ts';
import type { PageAnswer } from '../answer.ts';
import { asciiJson } from '../ascii-json.ts';
import type { Resource } from '../resource.ts';
import { root } from '../resources/root.ts';
import { errorIndex, errorPage, errorRoute } from './errors.ts';
import { homePage } from './home.ts';
import { referencePage } from './reference.ts';
import { identity, type Site } from './site.ts';
import { statusPage } from './status.ts';
import { pageHeaders } from './stylesheet.ts';

const contentType = 'text/html; charset=utf-8';

/** What the pages are made from, once, when the listener starts. */
export interface PagesOptions extends Site {
  /** Unique to this run of the process, for entity tags. */
  readonly runTag: string;
}

export interface PublicPages {
  /** `/`, in both of its forms: counted on the address, so it stands apart from the pages. */
  readonly root: Resource;
  /** The pages that no limit counts, by path. All of them answer during maintenance. */
  readonly pages: ReadonlyMap<string, Resource>;
}

/** Everything for people on the public listener. Nothing of it needs a key, a script or another host. */
export function publicPages(options: PagesOptions): PublicPages {
  const fixed = (route: string, name: string, text: string) => fixedPage(route, `${options.runTag}-${name}`, text);
  const pages = [
    fixed('/docs', 'docs', referencePage(options)),
    fixed('/errors', 'errors', errorIndex(options)),
    ...errorCodes.map((code) => fixed(errorRoute(code), `error-${errorTable[code].slug}`, errorPage(options, code))),
    livePage('/status', options),
  ];
  const forms = { json: asciiJson(rootDocument(options)), html: homePage(options) };
  return {
    root: root(forms, options.runTag, pageHeaders),
    pages: new Map(pages.map((page) => [page.route, page])),
  };
}

function rootDocument(site: Site) {
  const { baseUrl, errorsUrl } = site;
  return {
    ...identity(site),
    links: {
      openapi: `${baseUrl}/openapi/v1.json`,
      reference: `${baseUrl}/docs`,
      errors: errorsUrl,
      status: `${baseUrl}/status`,
    },
  };
}

function fixedPage(route: string, tagStem: string, text: string): Resource {
  const answer: PageAnswer = {
    kind: 'page',
    page: new Page(text),
    contentType,
    cacheControl: 'public, max-age=300',
    vary: 'Accept-Encoding',
    extraHeaders: pageHeaders,
  };
  return { route, answersInMaintenance: true, answer: () => answer };
}

function livePage(route: string, site: Site): Resource {
  return {
    route,
    answersInMaintenance: true,
    answer: ({ now }, { service }) => ({
      kind: 'text',
      text: statusPage(site, service.status(now)),
      contentType,
      extraHeaders: pageHeaders,
    }),
  };
}
