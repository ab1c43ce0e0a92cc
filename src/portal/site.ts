import { contractLimits, type LimitFigures } from '../contract/limits.ts';
import type { OpenApiDocument } from '../contract/openapi.ts';
import { type Accent, accentOf } from '../ground/colour.ts';
import type { Language } from '../ground/languages.ts';
import { type Asset, assetOf, portalAssets } from './assets.ts';

/** The operator's own words and files. */
export interface Brand {
  readonly name?: string | undefined;
  readonly contact?: string | undefined;
  readonly terms?: string | undefined;
  /** The contents of the file. */
  readonly logo?: { readonly kind: 'svg' | 'png'; readonly bytes: Buffer } | undefined;
  /** Colours as `#rrggbb`, each readable on the pages of its scheme. */
  readonly colours?: { readonly light?: string | undefined; readonly dark?: string | undefined };
}

/** The service that pages are made for, whatever their language. */
export interface PortalOffer {
  /** The document that the reference is made from. */
  readonly document: OpenApiDocument;
  /** Where clients reach the service: absolute, without a trailing slash. */
  readonly baseUrl: string;
  /** The start of the `type` of an error: absolute, without a trailing slash. */
  readonly errorsUrl: string;
  /** Requests a minute; those of the contract when left out. */
  readonly limits?: LimitFigures;
  /** Version of the server, as opposed to that of the API. */
  readonly version: string;
  /** The operator's brand; none when left out. */
  readonly brand?: Brand | undefined;
  /** The operator's, for instants that no script shows in the reader's; UTC when left out. */
  readonly timeZone?: string | undefined;
}

/** The service that the pages describe, and the language they do it in. */
export interface Site extends Omit<Required<PortalOffer>, 'brand' | 'timeZone'> {
  readonly language: Language;
  readonly timeZone: string;
  /** The operator's brand, with the logo as a file. */
  readonly operator: Omit<Brand, 'logo' | 'colours'> & { readonly logo: Asset | undefined };
  /** The style of the pages, with the operator's colours in it. */
  readonly style: Asset;
  /** The page is served by another host: its links are absolute. */
  readonly isElsewhere?: boolean;
}

/** The service as the pages of one language describe it. */
export function siteIn(offer: PortalOffer, language: Language): Site {
  const { brand = {}, limits = contractLimits, timeZone = 'UTC', ...others } = offer;
  const { logo, colours = {}, ...operator } = brand;
  return {
    ...others,
    limits,
    language,
    timeZone,
    operator: {
      ...operator,
      logo: logo && assetOf('logo', logo.kind, contentTypes[logo.kind], logo.bytes.toString('latin1')),
    },
    style: styleWith(colours),
  };
}

const contentTypes = { svg: 'image/svg+xml', png: 'image/png' } as const;

/** The style of every page, with the operator's colours after those of the theme. */
function styleWith(colours: NonNullable<Brand['colours']>): Asset {
  const style = portalAssets().get('portal.css')!;
  const rules = (['light', 'dark'] as const).map((scheme) => {
    const colour = colours[scheme];
    return colour === undefined ? '' : schemeRule(scheme, accentOf(colour, scheme));
  });
  const added = rules.join('');
  return added === '' ? style : assetOf('portal', 'css', style.contentType, `${style.text}\n${added}`);
}

function schemeRule(scheme: 'light' | 'dark', { accent, strong, soft, on }: Accent): string {
  const colours = `--accent: ${accent};\n  --accent-strong: ${strong};\n  --accent-soft: ${soft};\n  --on-accent: ${on};`;
  return `@media (prefers-color-scheme: ${scheme}) {\n:root {\n  ${colours}\n}\n}\n`;
}

/** Every file that the pages load. */
export function assetsOf({ style, operator: { logo } }: Site): readonly Asset[] {
  const scripts = [...portalAssets().values()].filter(({ route }) => route.endsWith('.js'));
  return [...scripts, style, ...(logo === undefined ? [] : [logo])];
}

/** Name and version of the API, as in the document. */
export function identity({ document }: Pick<Site, 'document'>): { readonly name: string; readonly version: string } {
  return { name: String(document.info.title), version: String(document.info.version) };
}

/** The name that pages show: the operator's, or that of the API. */
export function nameOf(site: Pick<Site, 'document' | 'operator'>): string {
  return site.operator.name ?? identity(site).name;
}

/** Whether a route is that of a page, which exists in every language. */
function isPage(route: string): boolean {
  return route === '/status/feed.atom' || (!/\.[a-z]+$/.test(route) && !/^\/(v1|cs)(\/|$)/.test(route));
}

/** The route of a page in the site's language: `/cs/docs` for `/docs`. Other routes are the same in every language. */
export function routeIn({ language }: Pick<Site, 'language'>, route: string): string {
  if (language === 'en' || !isPage(route)) return route;
  return route === '/' ? `/${language}` : `/${language}${route}`;
}

/**
 * The link to a path of this listener, with or without an anchor. It has no host, so that it works under every host
 * name, and starts with the path of the base URL, which a proxy in front removes.
 */
export function link(site: Pick<Site, 'baseUrl' | 'language' | 'isElsewhere'>, path: string): string {
  const [route = '', ...anchor] = path.split(/(?=#)/);
  const start = site.isElsewhere ? site.baseUrl : new URL(site.baseUrl).pathname.replace(/\/+$/, '');
  return `${start}${routeIn(site, route)}${anchor.join('')}`;
}

/** The route of a page's Markdown: `/docs.md` for `/docs`, `/index.md` for the root. */
export function markdownRoute(site: Pick<Site, 'language'>, route: string): string {
  if (route === '/') return site.language === 'en' ? '/index.md' : `/${site.language}/index.md`;
  return `${routeIn(site, route)}.md`;
}

/** Where the index of the pages of a language is served. */
export function searchRoute({ language }: Pick<Site, 'language'>): string {
  return language === 'en' ? '/search.json' : `/${language}/search.json`;
}
