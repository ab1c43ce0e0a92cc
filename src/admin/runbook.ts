import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../contract/openapi.ts';
import { html } from '../ground/html.ts';
import { markdownHtml } from '../portal/markdown.ts';
import { siteIn } from '../portal/site.ts';
import { type Environment, environmentBand, pageTitle } from './environment.ts';

const policy = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/**
 * Serves the runbook, to whose sections alerts link: `/runbook#storeunreachable`. It is the same for everybody, and
 * needs no sign-in. It is made when it is first asked for.
 */
export function addRunbook(app: FastifyInstance, environment?: Environment): void {
  let page: string | undefined;
  app.get('/runbook', (_request, reply) => {
    page ??= runbookPage(environment);
    return reply
      .headers({ 'Cache-Control': 'no-cache', 'Content-Security-Policy': policy })
      .header('Content-Type', 'text/html; charset=utf-8')
      .send(page);
  });
}

function runbookPage(environment: Environment | undefined): string {
  const text = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  const addresses = { baseUrl: 'http://127.0.0.1', errorsUrl: 'http://127.0.0.1/errors' };
  const site = siteIn({ ...addresses, document: openApiDocument(addresses), version: '' }, 'en');
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>${pageTitle('Runbook · Market Data API', environment)}</title>
    <link rel="stylesheet" href="console/theme.css">
    <link rel="stylesheet" href="console/styles/base.css">
    <link rel="stylesheet" href="console/styles/runbook.css">
    <link rel="stylesheet" href="console/environment.css">
  </head>
  <body>
    ${environmentBand(environment)}
    <main class="runbook">
      <p><a href="console/">Console</a></p>
${markdownHtml(site, text)}    </main>
  </body>
</html>
`.text;
}
