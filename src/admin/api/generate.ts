import { readFileSync, writeFileSync } from 'node:fs';
import { managementDocument } from './document.ts';
import { operations } from './operations.ts';

/** Writes the management API's document of the repository; with `--check` it only tells whether it is up to date. */
const name = 'docs/openapi/management-v1.json';
const target = new URL(`../../../${name}`, import.meta.url);
const generated = `${JSON.stringify(managementDocument(operations), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(target, generated);
} else if (readStored() === generated) {
  process.stderr.write(`${name} is up to date\n`);
} else {
  process.stderr.write(`${name} is not what src/admin/api describes: run "npm run generate" and commit it\n`);
  process.exitCode = 1;
}

function readStored(): string | undefined {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return undefined;
  }
}
