import { heading, paragraph } from './blocks.ts';
import { say } from './language.ts';
import type { PortalPage } from './layout.ts';
import type { Site } from './site.ts';

/** What a person sees at an address that leads nowhere. Programs get the problem `NOT_FOUND`. */
export function lostPage(site: Site): PortalPage {
  return {
    route: '/',
    title: say(site, 'Page not found'),
    description: say(site, 'There is no page at this address.'),
    isLost: true,
    body: [
      heading(1, say(site, 'Page not found')),
      paragraph(
        'lead',
        say(site, 'There is no page at this address. Check its spelling; upper and lower case differ.'),
      ),
      say(
        site,
        '- [Start](/)\n- [Guides](/guides)\n- [Reference](/docs)\n- [Errors](/errors)\n- [Status](/status)\n\nPrograms get `404 NOT_FOUND` here.',
      ),
    ],
  };
}
