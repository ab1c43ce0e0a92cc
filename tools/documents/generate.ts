import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { prometheusRules } from '../../src/conditions/prometheus.ts';
import { exampleYaml } from '../../src/configuration/reference.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { managementDocument } from '../../src/management/document.ts';
import { operations } from '../../src/management/operations.ts';
import { commandReference } from './cli-reference.ts';
import { configurationReference } from './configuration-reference.ts';
import { ingestDocument } from './ingest-document.ts';
import { metricsReference } from './metrics-reference.ts';
import { toolSchemas } from './tool-schemas.ts';

const baseUrl = 'https://api.example.com';

/** The generated documents of the repository, each with what it is made from. */
const documents: Readonly<Record<string, () => string>> = {
  'docs/openapi/v1.json': () => json(openApiDocument({ baseUrl, errorsUrl: `${baseUrl}/errors` })),
  'docs/openapi/management-v1.json': () => json(managementDocument(operations)),
  'docs/openapi/ingest-v1.asyncapi.json': () => json(ingestDocument()),
  'docs/configuration.md': configurationReference,
  'docs/mdapi.yaml': exampleYaml,
  'docs/cli.md': commandReference,
  'ops/prometheus/alerts.yml': prometheusRules,
  'docs/metrics.md': metricsReference,
  'client/mcp/schemas.json': () => json(toolSchemas()),
};

function json(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Writes every document below `root`, and returns the names of those that differed. With `check` it writes nothing. */
export function generate(root: URL, check: boolean): string[] {
  return Object.entries(documents).flatMap(([name, make]) => {
    const target = new URL(name, root);
    const text = make();
    if (existsSync(target) && readFileSync(target, 'utf8') === text) return [];
    if (!check) writeFileSync(target, text);
    return [name];
  });
}

if (import.meta.main) {
  const check = process.argv.includes('--check');
  const changed = generate(new URL('../../', import.meta.url), check);
  for (const name of changed) {
    process.stderr.write(
      check ? `${name} is out of date: run "npm run generate" and commit it\n` : `${name} written\n`,
    );
  }
  if (check && changed.length > 0) process.exitCode = 1;
}
