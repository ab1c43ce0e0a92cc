import { readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument } from './openapi.ts';

/** Writes the OpenAPI document of the repository; with `--check` it only tells whether it is up to date. */
const target = new URL('../../docs/openapi/v1.json', import.meta.url);
const baseUrl = 'https://api.example.com';
const generated = `${JSON.stringify(openApiDocument({ baseUrl, errorsUrl: `${baseUrl}/errors` }), null, 2)}\n`;

if (process.argv.includes('--check')) {
  if (readStored() === generated) process.stderr.write('docs/openapi/v1.json is up to date\n');
  else {
    process.stderr.write(
      'docs/openapi/v1.json is not what src/contract describes: run "npm run generate" and commit it\n',
    );
    process.exitCode = 1;
  }
} else {
  writeFileSync(target, generated);
}

function readStored(): string | undefined {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return undefined;
  }
}
