import { readFileSync } from 'node:fs';
import { Parser } from '@asyncapi/parser';

// Refuses any finding of AsyncAPI's own rules, hints included.
const document = new URL('../../docs/openapi/ingest-v1.asyncapi.json', import.meta.url);
const findings = await new Parser().validate(readFileSync(document, 'utf8'));
for (const { code, message, path } of findings) process.stderr.write(`${path.join('.')}: ${message} (${code})\n`);
process.stderr.write(
  `ingest-v1.asyncapi.json: ${findings.length === 0 ? 'no findings' : `${findings.length} findings`}\n`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
