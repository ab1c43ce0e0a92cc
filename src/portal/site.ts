import type { OpenApiDocument } from '../contract/openapi.ts';

/** What all pages know of the service they describe. */
export interface Site {
  /** The document that the reference is made from. */
  readonly document: OpenApiDocument;
  /** Where clients reach the service: absolute, without a trailing slash. */
  readonly baseUrl: string;
  /** What the `type` of an Error starts with: absolute, without a trailing slash. */
  readonly errorsUrl: string;
  /** Version of the program that serves, as opposed to that of the API. */
  readonly version: string;
}

/** Name and version of the API, as in the document. */
export function identity({ document }: Pick<Site, 'document'>): { readonly name: string; readonly version: string } {
  return { name: String(document.info.title), version: String(document.info.version) };
}

/**
 * The link to a path of this listener. It has no host, so that it holds under whatever name the page
 * was asked for, and starts with the path of the base URL, which a proxy in front takes away again.
 */
export function link({ baseUrl }: Pick<Site, 'baseUrl'>, path: string): string {
  return `${new URL(baseUrl).pathname.replace(/\/+$/, '')}${path}`;
}

/** Where the Markdown of a page lies: `/docs.md` for `/docs`, `/index.md` for the root. */
export function markdownRoute(route: string): string {
  return route === '/' ? '/index.md' : `${route}.md`;
}
