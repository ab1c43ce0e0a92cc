import { writeOrCheck } from './generated-file.ts';
import { configurationReference } from './reference.ts';

const name = 'docs/configuration.md';
const target = new URL(`../../${name}`, import.meta.url);
process.exitCode = writeOrCheck(target, name, configurationReference(), process.argv, (line) => {
  process.stderr.write(line);
});
