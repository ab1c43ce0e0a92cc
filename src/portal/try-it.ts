import { headerNames } from '../contract/limits.ts';
import type { Operation } from '../contract/openapi.ts';
import { type Html, html } from '../html.ts';
import { type Block, browserOnly } from './blocks.ts';
import { keyVariable, needsKey } from './samples.ts';
import { link } from './site.ts';

type Parameter = Operation['parameters'][number];

/** What a browser sends by itself and lets no script set. */
const setByBrowser = new Set(['Accept-Encoding']);

/**
 * The one field for the key. It stands in no form and has no value in the page, so nothing sends or
 * stores it but the scripts of this page, which keep it in memory. Shown only where scripts run.
 */
export const keyBar = browserOnly(
  () => html`<div class="key-bar" data-web="key" hidden="hidden">
<label for="api-key">API key for trying requests</label>
<input type="password" id="api-key" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="mdk_..." aria-describedby="api-key-note">
<button type="button" id="api-key-shown" aria-pressed="false">Show</button>
<p id="api-key-note" class="quiet small">The key stays in the memory of this page until you leave it, and is sent only to this service. Anywhere else, keep keys on a server.</p>
</div>
`,
);

/** The form that sends an operation's request from the browser. Hidden until the script that runs it is there. */
export function tryIt(path: string, operation: Operation): Block {
  const { operationId, parameters } = operation;
  const fields = parameters.filter(({ name }) => !setByBrowser.has(name)).map((each) => field(operationId, each));
  const keyed = needsKey(operation)
    ? html` data-key-header="${headerNames.apiKey}" data-key-variable="${keyVariable}"`
    : undefined;
  return browserOnly((site) => {
    const addresses = html`data-path="${link(site, path)}" data-address="${site.baseUrl}${path}"`;
    return html`<form class="try" hidden="hidden" aria-label="Try GET ${path}" data-operation="${operationId}" ${addresses}${keyed}>
<h4>Try it</h4>
${fields}<p><button type="submit">Send request</button></p>
<p class="outcome" role="status"></p>
<div class="result"></div>
</form>
`;
  });
}

function field(operationId: string, { name, in: place, required, example }: Parameter): Html {
  const id = `try-${operationId}-${name.toLowerCase()}`;
  const given = required ? html` value="${example}" required="required"` : undefined;
  return html`<p class="field"><label for="${id}">${name} <span class="quiet">${place}${required ? '' : ', optional'}</span></label>
<input type="text" id="${id}" name="${name}" data-in="${place}" autocomplete="off" autocapitalize="off" spellcheck="false"${given}></p>
`;
}
