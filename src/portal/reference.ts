import { html } from '../html.ts';
import { contentsList, type Entry } from './contents.ts';
import { layout } from './layout.ts';
import { prose, sections } from './prose.ts';
import { operationSection } from './reference-operations.ts';
import { schemaAnchor, schemaSection } from './reference-schemas.ts';
import { errorTableBlock, headerTable, limitNotes, pollingTable } from './reference-tables.ts';
import { identity, link, type Site } from './site.ts';
import { keyBar } from './try-it.ts';

/** The reference, made from the OpenAPI document and the tables the code itself uses. */
export function referencePage(site: Site): string {
  const { document } = site;
  const introduction = sections(String(document.info.description));
  const operations = Object.entries(document.paths).map(([path, { get }]) => ({ path, get }));
  const schemas = Object.entries(document.components.schemas);
  const entries: Entry[] = [
    ...introduction.sections,
    { id: 'polling', title: 'Polling' },
    {
      id: 'operations',
      title: 'Operations',
      below: operations.map(({ path, get }) => ({ id: get.operationId, title: `GET ${path}` })),
    },
    {
      id: 'schemas',
      title: 'Schemas',
      below: schemas.map(([name]) => ({ id: schemaAnchor(name), title: name, deep: true })),
    },
    { id: 'response-headers', title: 'Response headers' },
    { id: 'error-codes', title: 'Error codes' },
  ];
  return layout(site, {
    route: '/docs',
    title: 'Reference',
    description: 'Every endpoint, parameter, response, field, header, error and limit of the API.',
    kind: 'reference',
    scripts: ['reference'],
    contents: contentsList(entries),
    main: html`<h1>Reference</h1>
<p class="lead">Every operation, field, header and limit of API version ${identity(site).version}, made from the <a href="${link(site, '/openapi/v1.json')}">OpenAPI document</a>.
Base address: <code>${site.baseUrl}</code></p>
${keyBar()}${introduction.lead}${introduction.sections.map(({ id, title, body }) => html`<h2 id="${id}">${title}</h2>\n${body}`)}
<h2 id="polling">Polling</h2>
${pollingTable(site)}${limitNotes()}
<h2 id="operations">Operations</h2>
<p>HEAD answers each of these paths with the status and headers of the GET and no body, and counts as one request too.</p>
${operations.map(({ path, get }) => operationSection(site, path, get))}
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => schemaSection(name, schema as object))}
<h2 id="response-headers">Response headers</h2>
${headerTable(site)}
<h2 id="error-codes">Error codes</h2>
${prose('Each code has a page that tells its cause and what to do.')}
${errorTableBlock(site)}`,
  });
}
