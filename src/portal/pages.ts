import { errorCodes } from '../contract/errors.ts';
import { rootDocument } from '../contract/openapi-examples.ts';
import { languages } from '../ground/languages.ts';
import { asciiJson } from '../http/answer.ts';
import { unmatchedRoute } from '../http/request-counts.ts';
import type { Resource } from '../http/resource.ts';
import { assetResource } from './assets.ts';
import { heading, paragraph } from './blocks.ts';
import { errorIndex, errorPage } from './errors.ts';
import { guideIndex, guidePages, readGuides } from './guides.ts';
import { homePage } from './home.ts';
import { type PortalPage, renderedPage } from './layout.ts';
import { favicon, llmsFull, llmsIndex, robots, sitemap } from './llms.ts';
import { referencePages } from './reference.ts';
import {
  fixedPage,
  fixedText,
  inLanguages,
  livePage,
  liveText,
  lostResource,
  revalidatedText,
  rootResource,
  slashResource,
} from './resources.ts';
import { searchIndex } from './search.ts';
import { assetsOf, type PortalOffer, routeIn, type Site, searchRoute, siteIn } from './site.ts';
import { statusPage } from './status.ts';
import { feedRoute, statusFeed } from './status-feed.ts';
import { statusSummary, summaryRoute } from './status-summary.ts';
import { type SubscriptionDesk, subscribeRoute, subscriptionPages } from './subscribe.ts';

export interface PublicPages {
  /** `/` in all of its forms. It counts on the client's address, unlike the pages. */
  readonly root: Resource;
  /** Resources by path. No limit counts them, and they answer during maintenance. */
  readonly pages: ReadonlyMap<string, Resource>;
  /** For people, in the place of a page that does not exist. */
  readonly lost: Resource;
}

/** The developer portal: everything for people on the public listener, and the same for machines that read. */
export function publicPages(offer: PortalOffer, desk?: SubscriptionDesk): PublicPages {
  const sites = inLanguages((language) => siteIn(offer, language));
  const pages = inLanguages((language) => pagesIn(sites[language]));
  const fixed = pages.en.list.flatMap((_, index) =>
    fixedPage(
      sites,
      inLanguages((language) => pages[language].list[index]!),
    ),
  );
  const [home, ...others] = fixed;
  const canSubscribe = desk !== undefined && desk.kinds.length > 0;
  const live = canSubscribe ? ['/status', subscribeRoute] : ['/status'];
  const routes = [...pages.en.list.map(({ page }) => page.route), ...live].flatMap((route) =>
    Object.values(sites).map((site) => routeIn(site, route)),
  );
  const resources = [
    ...others,
    ...livePage(sites, '/status', (site, { now }, { service }) =>
      statusPage(site, {
        current: service.current(now),
        now,
        windows: service.windows(now),
        history: service.history,
        written: service.written,
        canSubscribe,
      }),
    ),
    ...(canSubscribe ? subscriptionPages(sites, desk) : []),
    ...Object.values(sites).map((site) =>
      revalidatedText(routeIn(site, feedRoute), 'application/atom+xml', ({ history, written }, now) =>
        statusFeed(site, history, written, now),
      ),
    ),
    liveText(
      summaryRoute,
      'application/json',
      (service, now) => {
        const { history, written } = service;
        const windows = service.windows(now);
        return asciiJson(statusSummary(sites.en, { current: service.current(now), windows, history, written }));
      },
      ['Access-Control-Allow-Origin', '*'],
    ),
    ...machineFiles(sites.en, pages.en),
    ...languages.map((language) =>
      fixedText(searchRoute({ language }), searchIndex(sites[language], pages[language].list), 'application/json'),
    ),
    fixedText('/sitemap.xml', sitemap(sites.en, routes), 'application/xml'),
    ...assetsOf(sites.en).map(assetResource),
    // A slash at the end of a page's path is forgiven.
    ...routes.filter((route) => route !== '/').map((route) => slashResource(sites.en, route)),
  ];
  return {
    root: rootResource(home!, asciiJson(rootDocument(offer.baseUrl, offer.errorsUrl))),
    pages: new Map(resources.map((resource) => [resource.route, resource])),
    lost: lostResource(unmatchedRoute, sites, lostPage),
  };
}

/** All fixed pages of a language, in reading order, home first. */
function pagesIn(site: Site) {
  const guides = readGuides(site);
  const list = [
    homePage(site, guides),
    guideIndex(guides),
    ...guidePages(site, guides),
    ...referencePages(site),
    errorIndex(site),
    ...errorCodes.map((code) => errorPage(site, code)),
  ];
  return { guides, list: list.map((page) => renderedPage(site, page)) };
}

function machineFiles(site: Site, { list, guides }: ReturnType<typeof pagesIn>): readonly Resource[] {
  const plain = 'text/plain; charset=utf-8';
  const inFull = list.filter(({ page: { route } }) => route !== '/' && route !== '/guides' && route !== '/errors');
  return [
    fixedText('/llms.txt', llmsIndex(site, guides), plain),
    fixedText('/llms-full.txt', llmsFull(site, inFull), plain),
    fixedText('/robots.txt', robots(site), plain),
    fixedText('/favicon.svg', favicon, 'image/svg+xml'),
    // Browsers ask for it on their own where a document names no icon; a 404 would count on their address.
    fixedText('/favicon.ico', favicon, 'image/svg+xml'),
  ];
}

/** The page for people in place of one that does not exist. Programs get the problem `NOT_FOUND`. */
const lostPage: PortalPage = {
  route: '/',
  title: 'Page not found',
  description: 'There is no page at this address.',
  isLost: true,
  body: [
    heading(1, 'Page not found'),
    paragraph('lead', 'There is no page at this address. Check its spelling; upper and lower case differ.'),
    '- [Start](/)\n- [Guides](/guides)\n- [Reference](/docs)\n- [Errors](/errors)\n- [Status](/status)\n\nPrograms get `404 NOT_FOUND` here.',
  ],
};
