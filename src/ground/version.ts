import { readFileSync } from 'node:fs';

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** The version of this program. */
export const { version } = JSON.parse(manifest) as { readonly version: string };
