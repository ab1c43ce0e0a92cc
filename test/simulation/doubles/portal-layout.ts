import { type PortalPage, renderedPage as platformPage, type RenderedPage } from '../../../src/portal/layout.ts';
import type { Site } from '../../../src/portal/site.ts';

export type { PortalPage };

const known = new Map<string, RenderedPage>();

/** The pages for people are the same in all processes, and no client of the world reads them: each is rendered once. */
export function renderedPage(site: Site, page: PortalPage): RenderedPage {
  return known.getOrInsertComputed(`${site.language} ${page.route}`, () => platformPage(site, page));
}
