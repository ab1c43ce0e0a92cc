import { exampleNow } from '../contract/openapi-responses.ts';
import { html } from '../ground/html.ts';
import * as block from './blocks.ts';
import type { Guide } from './guides.ts';
import { translate } from './language.ts';
import type { PortalPage } from './layout.ts';
import { examplesOf, operationTable, resolved } from './operations.ts';
import { needsKey, requestSamples } from './samples.ts';
import { link, type Site } from './site.ts';
import { summaryRoute } from './status-summary.ts';
import { fromTemplate } from './template.ts';

/** The root for people: what this is, whether it works, and how the first request is made. */
export function homePage(site: Site, guides: readonly Guide[]): PortalPage {
  return {
    route: '/',
    title: undefined,
    description: translate(site, String(site.document.info.summary)),
    kind: 'landing',
    scripts: ['home'],
    body: [
      hero(site),
      liveState(site),
      block.heading(2, 'What you can build on', 'why'),
      block.division('promises', ...promises(site)),
      ...endpoints(site),
      block.heading(2, 'Guides', 'guides'),
      block.cards(guides),
      block.heading(2, 'For programs and assistants', 'machines'),
      forMachines(site),
      exampleNote(site),
    ],
  };
}

const shownTicker = '/v1/ticker';

const steps = [
  'Create an API key in the client application, under profile and security, API keys.',
  'Keep it on your server, in `API_KEY`.',
  'Run this command as it stands.',
];

const promised = {
  'No digit is lost':
    'Prices and amounts are decimal strings from end to end. Each is rounded once, to the number of decimals that its market states.',
  'Stale data never looks fresh':
    'Each price carries the time it was captured, and the status says how far the feed is behind. After five minutes it reports an outage.',
  'Limits you can plan around':
    '{limit} requests a minute for each key unless agreed otherwise. Every answer says how many are left, and `Retry-After` is exact.',
  'Errors made for programs':
    'One shape, one code to branch on, and a page for each error: what causes it, what to do, whether a retry helps.',
  'Maintenance with notice':
    'Windows are announced with their start and expected end, and the status keeps answering while they run.',
  'A contract you can rely on':
    'The OpenAPI 3.1 document is generated from the code that answers. What can change within version 1 is written down.',
} as const;

function hero(site: Site): block.Block {
  const { get } = site.document.paths[shownTicker]!;
  const [[, example] = []] = examplesOf(resolved(site, get.responses['200']!));
  return block.division(
    'hero',
    block.division(
      'pitch',
      block.heading(1, 'Final client prices, exact to the last digit'),
      block.paragraph(
        'lead',
        'One HTTP API for the traded markets and for what a client pays and receives right now. Fee and currency margin are included. Every price is a decimal string and states when it was captured.',
      ),
      block.paragraph(
        'actions',
        `[${translate(site, 'Make the first request')}](/guides/quick-start) [${translate(site, 'Open the reference')}](/docs)`,
      ),
      steps.map((step, index) => `${index + 1}. ${translate(site, step)}`).join('\n'),
    ),
    block.division(
      'demo',
      block.codeTabs('first-request', translate(site, 'First request'), requestSamples(site, shownTicker, get)),
      block.codeBlock('Example response', block.shownJson(example), 'json'),
    ),
  );
}

/** Filled in by a script; without one it leads to the status page. */
function liveState(site: Site): block.Block {
  return block.browserOnly(() =>
    fromTemplate(site, 'live-state', { summary: link(site, summaryRoute), status: link(site, '/status') }),
  );
}

function promises(site: Site): readonly block.Block[] {
  const values = { limit: site.limits.key };
  return Object.entries(promised).map(([title, text]) =>
    block.frame(
      (inner) => html`<section>${inner}</section>\n`,
      `### ${translate(site, title)}`,
      translate(site, text, values),
    ),
  );
}

function endpoints(site: Site): block.Content[] {
  const paths = Object.keys(site.document.paths).filter((path) => needsKey(site.document.paths[path]!.get));
  return [
    block.heading(2, 'Five endpoints, all read-only', 'endpoints'),
    'One request to `/v1/tickers` every five seconds gets every price.',
    operationTable(site, paths),
  ];
}

function forMachines(site: Site): block.Block {
  return block.facts({
    '[OpenAPI 3.1](/openapi/v1.json)': 'The contract for client generators, gateways and tests.',
    '[llms.txt](/llms.txt)':
      'An index of these pages for language models; [llms-full.txt](/llms-full.txt) has all of them in one file.',
    Markdown: 'Every page is available as Markdown: add `.md` to its path, or ask for `text/markdown`.',
    [`[${translate(site, 'Status as JSON')}](${summaryRoute})`]:
      'State, components and announced maintenance, for dashboards. Needs no key.',
    [`[${translate(site, 'Errors')}](/errors)`]:
      'The `type` of each error is the address of the page that explains it.',
  });
}

function exampleNote(site: Site): block.Block {
  const day = new Date(exampleNow).toISOString().slice(0, 10);
  return block.browserOnly(
    () =>
      html`<p class="quiet small" data-web="note">${translate(site, 'Prices on this page are examples from {day}, not offers.', { day })}</p>\n`,
  );
}
