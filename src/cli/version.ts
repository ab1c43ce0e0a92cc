import { readFileSync } from 'node:fs';

const { version: packageVersion } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as {
  version: string;
};

/** The version of this program, as in package.json. */
export const version: string = packageVersion;
