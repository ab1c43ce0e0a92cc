/** A scheme of the pages, as the reader's system has it. */
export type Scheme = 'light' | 'dark';

/** The grounds and the text of each scheme: those of `web/theme.css`. */
const schemes: Readonly<
  Record<Scheme, { readonly grounds: readonly string[]; readonly text: string; readonly tint: number }>
> = {
  light: { grounds: ['#ffffff', '#f5f6f8'], text: '#12161c', tint: 0.08 },
  dark: { grounds: ['#0e1116', '#151a21', '#181d25'], text: '#e8ecf1', tint: 0.14 },
};

/** The contrast that text needs on its ground (WCAG 2.2, 1.4.3, level AA). */
export const contrastMin = 4.5;

/** A colour for links and buttons, and those that go with it. */
export interface Accent {
  readonly accent: string;
  readonly strong: string;
  /** A ground for text in the accent. */
  readonly soft: string;
  /** Text on the accent. */
  readonly on: string;
}

/** Takes `#rrggbb`. */
export function accentOf(accent: string, scheme: Scheme): Accent {
  const { grounds, text, tint } = schemes[scheme];
  const page = grounds[0]!;
  return { accent, strong: mixed(accent, text, 0.2), soft: mixed(page, accent, tint), on: page };
}

/** The least contrast that text in this colour has on any ground of the scheme, 1 to 21. */
export function leastContrast(colour: string, scheme: Scheme): number {
  const { soft } = accentOf(colour, scheme);
  return Math.min(...[...schemes[scheme].grounds, soft].map((ground) => contrast(colour, ground)));
}

/** The text on a ground of any colour: black or white, whichever contrasts more. One always reaches 4.58. */
export function textOn(ground: string): '#000000' | '#ffffff' {
  return contrast('#000000', ground) >= contrast('#ffffff', ground) ? '#000000' : '#ffffff';
}

/** The contrast of two colours as WCAG 2.2 defines it, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (more + 0.05) / (less + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** So much of the other colour in the one. */
function mixed(one: string, other: string, share: number): string {
  const others = partsOf(other);
  const parts = partsOf(one).map((part, index) => Math.round(part + (others[index]! - part) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function partsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
