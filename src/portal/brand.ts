import { type Accent, accentOf } from '../colour.ts';
import { type Asset, assetOf, portalAssets } from './assets.ts';

/** What the operator says of themselves, and the files of it. */
export interface Brand {
  readonly name?: string | undefined;
  readonly contact?: string | undefined;
  readonly terms?: string | undefined;
  /** The contents of the file. */
  readonly logo?: { readonly kind: 'svg' | 'png'; readonly bytes: Buffer } | undefined;
  /** As `#rrggbb`, each readable on the pages of its scheme. */
  readonly colours?: { readonly light?: string | undefined; readonly dark?: string | undefined };
}

/** Who runs the service, as its pages show it. */
export interface Operator {
  /** Of the portal; that of the API when left out. */
  readonly name: string | undefined;
  /** Where people can be reached: `mailto:` or a web address. */
  readonly contact: string | undefined;
  /** Address of the terms of use. */
  readonly terms: string | undefined;
  readonly logo: Asset | undefined;
  /** The style of the pages, with the operator's colours in it. */
  readonly style: Asset;
}

/** The operator as the pages show them. */
export function operatorOf({ name, contact, terms, logo, colours = {} }: Brand): Operator {
  return { name, contact, terms, logo: logo && logoAsset(logo), style: styleWith(colours) };
}

const contentTypes = { svg: 'image/svg+xml', png: 'image/png' } as const;

function logoAsset({ kind, bytes }: NonNullable<Brand['logo']>): Asset {
  return assetOf('logo', kind, contentTypes[kind], bytes.toString('latin1'));
}

/** The style of every page, with the operator's colours after those of the theme. */
function styleWith({ light, dark }: NonNullable<Brand['colours']>): Asset {
  const style = portalAssets().get('portal.css')!;
  if (light === undefined && dark === undefined) return style;
  const rules = [
    light === undefined ? '' : rule(accentOf(light, 'light')),
    dark === undefined ? '' : `@media (prefers-color-scheme: dark) {\n${rule(accentOf(dark, 'dark'))}}\n`,
    // What is set for light pages holds for dark ones too, unless it is taken back.
    light !== undefined && dark === undefined ? `@media (prefers-color-scheme: dark) {\n${rule(usualDark)}}\n` : '',
  ];
  return assetOf('portal', 'css', style.contentType, `${style.text}\n${rules.join('')}`);
}

const usualDark: Accent = { accent: '#93afff', strong: '#b7c9ff', soft: '#1c2544', on: '#0c1330' };

function rule({ accent, strong, soft, on }: Accent): string {
  return `:root {\n  --accent: ${accent};\n  --accent-strong: ${strong};\n  --accent-soft: ${soft};\n  --on-accent: ${on};\n}\n`;
}
