import { errorCodes, errorTable } from '../contract/errors.ts';
import { html } from '../ground/html.ts';
import { clientRoutes } from './client-packages.ts';
import { errorRoute } from './errors.ts';
import type { Guide } from './guides.ts';
import type { RenderedPage } from './layout.ts';
import { operationRoute } from './operations.ts';
import { identity, markdownRoute, nameOf, type Site } from './site.ts';

/** `/llms.txt`: an index of the pages for language models (llmstxt.org). */
export function llmsIndex(site: Site, guides: readonly Guide[]): string {
  const line = (title: string, route: string, purpose: string) =>
    `- [${title}](${site.baseUrl}${markdownRoute(site, route)}): ${purpose}`;
  const operations = Object.entries(site.document.paths).map(([path, { get }]) =>
    line(`GET ${path}`, operationRoute(path), get.summary),
  );
  const guideLines = guides.map(({ name, route, purpose }) => line(name, route, purpose));
  const errors = errorCodes.map((code) => line(code, errorRoute(code), errorTable[code].cause));
  const { baseUrl } = site;
  return `# ${nameOf(site)}

> ${String(site.document.info.summary)} Read-only, over HTTP, JSON, version ${identity(site).version}.

Every request under ${baseUrl}/v1 needs an API key in the header X-EXCHANGE-APIKEY, without a prefix. Prices and amounts are decimal strings:
keep them as strings or decimals, never as binary floating point. Status values and fields can be added within version 1. After a 429 or
503, repeat the request no sooner than Retry-After says, in seconds.

To ask for prices yourself: npx -y ${baseUrl}${clientRoutes(site.version).typescript} mcp is a server of the Model Context Protocol, with
MARKET_DATA_BASE_URL and MARKET_DATA_API_KEY_FILE (or MARKET_DATA_API_KEY) in its environment.

## Guides

${guideLines.join('\n')}

## Reference

- [Reference](${baseUrl}/docs.md): every operation, and what a client must know before the first request
${operations.join('\n')}
- [Common errors and headers](${baseUrl}/docs/common.md): the shape of an error, the errors of every operation, and every response header
- [OpenAPI 3.1 document](${baseUrl}/openapi/v1.json): the same for generators and validators
- [Errors](${baseUrl}/errors.md): every error code
- [Everything in one file](${baseUrl}/llms-full.txt): guides, reference and errors

## Optional

- [Status](${baseUrl}/status.md): how the service is doing now
- [Status as JSON](${baseUrl}/status/summary.json): the same for programs, without a key
${errors.join('\n')}
`;
}

/** `/llms-full.txt`: the text of every page, each under its address. */
export function llmsFull(site: Site, pages: readonly RenderedPage[]): string {
  const parts = pages.map(({ page, markdown }) => `Source: ${site.baseUrl}${page.route}\n\n${markdown}`);
  return parts.join('\n---\n\n');
}

/** `/robots.txt`: crawlers can read everything except the API, which needs a key. */
export function robots(site: Site): string {
  return `User-agent: *\nDisallow: /v1/\nSitemap: ${site.baseUrl}/sitemap.xml\n`;
}

/** `/sitemap.xml` (sitemaps.org, version 0.9). */
export function sitemap(site: Site, routes: readonly string[]): string {
  const urls = routes.map((route) => `<url><loc>${html`${site.baseUrl}${route}`.text}</loc></url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`;
}

/** The mark: what a client pays above what a client receives, over time. */
export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2448c5"/><path d="M6 17h6v-4h6V9h8" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/><path d="M6 24h8v-4h6v-4h6" fill="none" stroke="#9db5ff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>
`;
