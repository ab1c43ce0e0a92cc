import type { OpenApiDocument } from '../contract/openapi.ts';

/** The service that the pages describe. */
export interface Site {
  /** The document that the reference is made from. */
  readonly document: OpenApiDocument;
  /** Where clients reach the service: absolute, without a trailing slash. */
  readonly baseUrl: string;
  /** What the `type` of an Error starts with: absolute, without a trailing slash. */
  readonly errorsUrl: string;
  /** Version of the server, as opposed to that of the API. */
  readonly version: string;
}

/** Name and version of the API, as in the document. */
export function identity({ document }: Pick<Site, 'document'>): { readonly name: string; readonly version: string } {
  return { name: String(document.info.title), version: String(document.info.version) };
}

/**
 * The link to a path of this listener. It has no host, so that it works under every host name, and starts
 * with the path of the base URL, which a proxy in front removes.
 */
export function link({ baseUrl }: Pick<Site, 'baseUrl'>, path: string): string {
  return `${new URL(baseUrl).pathname.replace(/\/+$/, '')}${path}`;
}

/** The route of a page's Markdown: `/docs.md` for `/docs`, `/index.md` for the root. */
export function markdownRoute(route: string): string {
  return route === '/' ? '/index.md' : `${route}.md`;
}
