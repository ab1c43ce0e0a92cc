import { headerNames } from '../../contract/limits.ts';
import { code, codeBlock, curlCommand, table } from './blocks.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import { identity, link, type Site } from './site.ts';

/** The root for people: what this is, and how the first request is made. */
export function homePage(site: Site): string {
  const { name, version } = identity(site);
  return layout(site, {
    route: '/',
    title: undefined,
    description: String(site.document.info.summary),
    main: html`<h1>${name}</h1>
<p class="lead">Read-only market data over HTTP, version ${version}: the traded markets and their current client prices, the status of the
service and the time of its server. You ask with an API key and get JSON. Prices are decimal strings, so no digit is
lost on the way, and every price says when it was captured.</p>
${quickStart(site)}${endpoints(site)}${whereToGo(site)}${worthKnowing(site)}`,
  });
}

function quickStart({ baseUrl }: Site): Html {
  return html`<h2 id="quick-start">Quick start</h2>
<ol>
<li>Make an API key in the client application: profile and security, API keys. Keep it on your server; it does not
belong in a browser.</li>
<li>Put it in place of <code>YOUR_API_KEY</code> and ask for the time, to see that the key works:
${codeBlock('Ask for the time of the server', curlCommand(baseUrl, '/v1/time', true))}</li>
<li>Ask for all prices at once, or for those of one market:
${codeBlock('Ask for all prices', curlCommand(baseUrl, '/v1/tickers', true))}${codeBlock(
  'Ask for the prices of one market',
  curlCommand(baseUrl, '/v1/ticker?symbol=BTCEUR', true),
)}</li>
</ol>
`;
}

function endpoints(site: Site): Html {
  const rows = Object.entries(site.document.paths)
    .filter(([, { get }]) => get.security.length > 0)
    .map(([path, { get }]) => [
      { word: html`<a href="${link(site, `/docs#${get.operationId}`)}">${code(`GET ${path}`)}</a>` },
      get.summary,
    ]);
  return html`<h2 id="endpoints">Endpoints</h2>
${table({ label: 'Endpoints', columns: ['Endpoint', 'What it gives'], rows, kind: 'short' })}`;
}

function whereToGo(site: Site): Html {
  return html`<h2 id="documentation">Documentation</h2>
<dl class="facts">
<dt><a href="${link(site, '/docs')}">Reference</a></dt><dd>Every endpoint, field, header and limit, with examples.</dd>
<dt><a href="${link(site, '/openapi/v1.json')}">OpenAPI document</a></dt><dd>The same for machines: OpenAPI 3.1, for client generators and tests.</dd>
<dt><a href="${link(site, '/errors')}">Errors</a></dt><dd>A page for each error: what causes it, what to do, whether to retry.</dd>
<dt><a href="${link(site, '/status')}">Status</a></dt><dd>How the service is doing now, and which maintenance is announced.</dd>
</dl>
`;
}

function worthKnowing(site: Site): Html {
  return html`<h2 id="worth-knowing">Worth knowing</h2>
<ul>
<li>After a 429 or a 503, wait as many seconds as <code>${headerNames.retryAfter}</code> says. Whoever waits
that long after a 429 is in a new minute of the limit.</li>
<li>Decide on the <code>code</code> of an error, never on its texts.</li>
<li>Treat a status value you do not know as unrecognized, and ignore fields you do not know: both can be added within
version 1.</li>
<li>One request for <code>/v1/tickers</code> every 5 seconds brings every price. See the
<a href="${link(site, '/docs#polling')}">recommended intervals</a>.</li>
</ul>
`;
}
