import { heading, paragraph } from './blocks.ts';
import type { PortalPage } from './layout.ts';
import type { Site } from './site.ts';

/** What a person sees at an address that leads nowhere. Programs get the problem `NOT_FOUND`. */
export function lostPage(_site: Site): PortalPage {
  return {
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
}
