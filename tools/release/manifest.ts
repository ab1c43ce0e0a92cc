/**
 * Turns the package.json of the folder it runs in into that of a package: without what only a checkout needs, with its
 * packages in it.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const {
  devDependencies: _,
  scripts: __,
  overrides: ___,
  ...manifest
} = JSON.parse(readFileSync('package.json', 'utf8'));
const bundleDependencies = Object.keys(manifest.dependencies);
writeFileSync('package.json', `${JSON.stringify({ ...manifest, bundleDependencies }, null, 2)}\n`);
