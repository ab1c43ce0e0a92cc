import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes a generated file; with `--check` among `argv` only looks whether it is as it would be
 * written, and gives exit code 1 and one line on `complain` when it is not.
 *
 * @param name the file as messages call it
 */
export function writeOrCheck(
  target: URL,
  name: string,
  text: string,
  argv: readonly string[],
  complain: (line: string) => void,
): 0 | 1 {
  if (!argv.includes('--check')) {
    writeFileSync(target, text);
    return 0;
  }
  if (textOf(target) === text) return 0;
  complain(`${name} is not what its source gives. Run \`npm run generate\` and commit the result.\n`);
  return 1;
}

function textOf(target: URL): string | undefined {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return undefined;
  }
}
