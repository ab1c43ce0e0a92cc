import * as kind from '../kinds.ts';
import { list, oneOf, optional, section, setting, subsection, text } from '../kinds.ts';

export const portal = section('The pages for clients on the public listener, in English and Czech.', {
  name: optional(text(kind.shortName), {
    description: 'Your name for the service, on its pages and in their titles.',
    whenAbsent: 'the name of the API',
    example: 'Example Exchange API',
  }),
  logo: optional(text(kind.path), {
    description:
      'SVG or PNG file in the place of the mark, up to 200 kB, shown 26 px high on light and dark pages; the service serves it.',
    whenAbsent: 'the mark of this software',
    security: 'An SVG with scripts or links elsewhere is refused.',
    example: './logo.svg',
  }),
  contact: optional(text(kind.reachable), {
    description: 'Where clients reach you; a link on every page.',
    whenAbsent: 'no link',
    example: 'mailto:support@example.com',
  }),
  terms: optional(text(kind.httpUrl), {
    description: 'Your terms of use; a link on every page.',
    whenAbsent: 'no link',
    example: 'https://example.com/terms',
  }),
  subscriptions: setting(list(oneOf(['mail', 'webhook'], 'mail'), { default: ['mail'] }), {
    description: 'How visitors of the status page can subscribe to it; `mail` needs `mail.smtp`.',
    security: '`webhook` sends requests to hosts that strangers name.',
    example: ['mail', 'webhook'],
  }),
  colours: subsection({
    light: optional(text(kind.accent('light')), {
      description: 'Colour of links and buttons on light pages; what goes with it is derived.',
      whenAbsent: 'a blue',
      example: '#2448c5',
    }),
    dark: optional(text(kind.accent('dark')), {
      description: 'The same on dark pages.',
      whenAbsent: 'a light blue',
      example: '#93afff',
    }),
  }),
});
