import { limitTable, pollingIntervals } from '../contract/limits.ts';
import { exampleNow } from '../contract/openapi-headers.ts';
import { type Html, html } from '../html.ts';
import { code, codeBlock, codeTabs, shownJson, table } from './blocks.ts';
import { type GuidePage, guideCards } from './guides.ts';
import { layout } from './layout.ts';
import { needsKey, requestSamples } from './samples.ts';
import { link, type Site } from './site.ts';
import { intervalInWords } from './words.ts';

/** The root for people: what this is, whether it works, and how the first request is made. */
export function homePage(site: Site, guides: readonly GuidePage[]): string {
  return layout(site, {
    route: '/',
    title: undefined,
    description: String(site.document.info.summary),
    kind: 'landing',
    scripts: ['home'],
    main: html`${hero(site)}${liveState(site)}${promises()}${endpoints(site)}
<h2 id="guides">Guides</h2>
${guideCards(site, guides)}${forMachines(site)}`,
  });
}

const shownTicker = '/v1/ticker';

function hero(site: Site): Html {
  const { get } = site.document.paths[shownTicker]!;
  const response = get.responses['200']!;
  const examples = '$ref' in response ? {} : (response.content?.['application/json']?.examples ?? {});
  const [example] = Object.values(examples);
  return html`<div class="hero">
<div class="pitch">
<h1>Final client prices, exact to the last digit</h1>
<p class="lead">One HTTP API for the traded markets and for what a client pays and receives right now. Fee and currency margin are already in. Every
price is a decimal string and says when it was captured.</p>
<p class="actions"><a class="button" href="${link(site, '/guides/quick-start')}">Make the first request</a>
<a class="button plain" href="${link(site, '/docs')}">Open the reference</a></p>
<ol class="steps">
<li>Make an API key in the client application: profile and security, API keys.</li>
<li>Keep it on your server, in <code>API_KEY</code>.</li>
<li>Run this. It works as it stands.</li>
</ol>
</div>
<div class="demo">
${codeTabs('first-request', 'First request', requestSamples(site.baseUrl, shownTicker, get))}${codeBlock('Example response', shownJson(example?.value), 'json')}</div>
</div>
`;
}

/** Filled in by a script; without one it leads to the status page. */
function liveState(site: Site): Html {
  return html`<section class="live" aria-label="State of the service" data-web="live" data-summary="${link(site, '/status/summary.json')}">
<p id="live-state"><a href="${link(site, '/status')}">Is it operational? See the status page.</a></p>
</section>
`;
}

function promises(): Html {
  const { requestsPerMinute } = limitTable.key;
  const cards = [
    [
      'No digit is lost',
      'Prices and amounts are decimal strings from end to end, rounded once, with the number of decimals that the market states.',
    ],
    [
      'Old never looks new',
      'Each price carries the instant it was captured, and the status says how far the feed is behind. After five minutes it says outage.',
    ],
    [
      'Limits you can plan with',
      `${requestsPerMinute} requests a minute for each key unless agreed otherwise. Every answer says what is left, and Retry-After is exact.`,
    ],
    [
      'Errors made for programs',
      'One shape, one code to decide on, and a page for each: what causes it, what to do, whether a retry helps.',
    ],
    [
      'Maintenance with notice',
      'Windows are announced with start and expected end, and the status keeps answering while they run.',
    ],
    [
      'A contract that holds',
      'The OpenAPI 3.1 document is made from the code that answers, and what can change within version 1 is written down.',
    ],
  ];
  return html`<h2 id="why">What you can build on</h2>
<div class="promises">
${cards.map(([title = '', text = '']) => html`<section><h3>${title}</h3><p>${text}</p></section>\n`)}</div>
`;
}

function endpoints(site: Site): Html {
  const rows = Object.entries(site.document.paths)
    .filter(([, { get }]) => needsKey(get))
    .map(([path, { get }]) => [
      { word: html`<a href="${link(site, `/docs#${get.operationId}`)}">${code(`GET ${path}`)}</a>` },
      get.summary,
      intervalOf(path),
    ]);
  return html`<h2 id="endpoints">Five endpoints, nothing to change</h2>
<p>All of them read. One request for <code>/v1/tickers</code> every five seconds brings every price there is.</p>
${table({ label: 'Endpoints', columns: ['Endpoint', 'What it gives', 'Ask'], rows, kind: 'short' })}`;
}

function intervalOf(path: string): string {
  const advice = pollingIntervals.find((each) => each.path === path);
  return advice === undefined ? '' : intervalInWords(advice.intervalMs);
}

function forMachines(site: Site): Html {
  return html`<h2 id="machines">For programs and assistants</h2>
<dl class="facts">
<dt><a href="${link(site, '/openapi/v1.json')}">OpenAPI 3.1</a></dt><dd>The contract for client generators, gateways and tests.</dd>
<dt><a href="${link(site, '/llms.txt')}">llms.txt</a></dt><dd>An index of these pages for language models; <a href="${link(site, '/llms-full.txt')}">llms-full.txt</a> has all of them in one.</dd>
<dt>Markdown</dt><dd>Every page is there as Markdown: add <code>.md</code> to its path, or ask for <code>text/markdown</code>.</dd>
<dt><a href="${link(site, '/status/summary.json')}">Status as JSON</a></dt><dd>State, parts and announced maintenance without a key, for dashboards.</dd>
<dt><a href="${link(site, '/errors')}">Errors</a></dt><dd>Each error says in <code>type</code> which page explains it.</dd>
</dl>
<p class="quiet small" data-web="note">Prices on this page are examples of ${new Date(exampleNow).toISOString().slice(0, 10)}, not offers.</p>
`;
}
