/**
 * What the compiler leaves to do: the kind of the modules for `require`, and file names in declarations that all of
 * its versions find.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';

const dist = new URL('dist/', import.meta.url);

writeFileSync(new URL('cjs/package.json', dist), '{ "type": "commonjs" }\n');

for (const name of globSync('*/*.d.ts', { cwd: dist })) {
  const file = new URL(name, dist);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(/(from |import\()'(\.\/[\w-]+)\.ts'/g, "$1'$2.js'"));
}
