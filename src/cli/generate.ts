import { writeOrCheck } from '../configuration/generated-file.ts';
import { commandReference } from './reference.ts';

const name = 'docs/cli.md';
const target = new URL(`../../${name}`, import.meta.url);
process.exitCode = writeOrCheck(target, name, commandReference(), process.argv, (line) => {
  process.stderr.write(line);
});
