import { contrastMin, leastContrast, type Scheme } from '../colour.ts';
import { httpUrl, optionalText, path, section, type TextKind, word } from './kinds.ts';

const hexColour = /^#[0-9a-f]{6}$/i;

function accent(scheme: Scheme): TextKind<string> {
  const remedy = scheme === 'light' ? 'a darker one' : 'a lighter one';
  return {
    allowed: `a colour such as #2448c5, with a contrast of at least ${contrastMin} to the ${scheme} pages (WCAG AA)`,
    fits: (text) => hexColour.test(text) && leastContrast(text, scheme) >= contrastMin,
    hint: (written) =>
      hexColour.test(written)
        ? `its contrast is ${(Math.floor(leastContrast(written, scheme) * 100) / 100).toFixed(2)}: choose ${remedy}`
        : undefined,
  };
}

const reachable: TextKind<string> = {
  allowed: 'mailto: and an address, or an http(s) URL',
  fits: (text) => /^mailto:[^\s@?]+@[^\s@?]+$/.test(text) || httpUrl.fits(text),
};

const shortName: TextKind<string> = {
  allowed: '1 to 40 printable characters',
  fits: (text) => text.length <= 40 && word.fits(text),
};

export const portalSchema = section(
  {
    name: optionalText(shortName, {
      description: 'Your name for the service, on its pages and in their titles.',
      whenAbsent: 'the name of the API',
      example: 'Example Exchange API',
    }),
    logo: optionalText(path, {
      description:
        'SVG or PNG file in the place of the mark, up to 200 kB, shown 26 px high on light and dark pages; the service serves it.',
      whenAbsent: 'the mark of this software',
      security: 'An SVG with scripts or links elsewhere is refused.',
      example: './logo.svg',
    }),
    contact: optionalText(reachable, {
      description: 'Where clients reach you; a link on every page.',
      whenAbsent: 'no link',
      example: 'mailto:support@example.com',
    }),
    terms: optionalText(httpUrl, {
      description: 'Your terms of use; a link on every page.',
      whenAbsent: 'no link',
      example: 'https://example.com/terms',
    }),
    colours: section({
      light: optionalText(accent('light'), {
        description: 'Colour of links and buttons on light pages; what goes with it is derived.',
        whenAbsent: 'a blue',
        example: '#2448c5',
      }),
      dark: optionalText(accent('dark'), {
        description: 'The same on dark pages.',
        whenAbsent: 'a light blue',
        example: '#93afff',
      }),
    }),
  },
  'The pages for clients on the public listener, in English and Czech.',
);
