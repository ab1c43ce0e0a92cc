import assert from 'node:assert/strict';
import { test } from 'node:test';
import { files, filesEnding, textOf } from './files.ts';

const linesMax = 400;

/** A path of somebody's machine, and a host that packages come from: the npm client knows where, and each user their own. */
const traces = [
  /(?<![\w.])\/(?:work|root|Users)\/\w/,
  /(?<![\w.])\/home\/(?!\.\.\.)\w/,
  /\bregistry\.[a-z0-9-]+\.[a-z]{2,}/i,
  /\bnpmjs\b/i,
  /\bartifactory\b/i,
  /\b[A-Z]:\\\\?Users\\/,
];

interface LockedPackage {
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
}

test('no file of src is longer than 400 lines', () => {
  const long = filesEnding('.ts', 'src').filter((file) => textOf(file).split('\n').length - 1 > linesMax);
  assert.deepEqual(long, []);
});

test('no file holds a path of a machine or the host of a package registry', () => {
  const found = files.flatMap((file) => {
    const text = textOf(file);
    return traces.flatMap((trace) => {
      const match = trace.exec(text)?.[0];
      return match === undefined ? [] : [`${file}: ${match}`];
    });
  });
  assert.deepEqual(found, []);
});

test('every version of every dependency is exact', () => {
  const ranges = filesEnding('package.json').flatMap((file) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(textOf(file));
    const wanted = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies });
    return wanted
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version))
      .map(([name]) => `${file}: ${name}`);
  });
  assert.deepEqual(ranges, []);
});

test('every lock file holds all that its packages ask for, with checksums, so that a clean install takes it', () => {
  const faults = filesEnding('package-lock.json').flatMap((file) => {
    const packages: Record<string, LockedPackage> = JSON.parse(textOf(file)).packages;
    const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
    return Object.entries(packages).flatMap(([path, entry]) => {
      const asked = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies });
      const missing = asked.filter((name) => !names.has(name)).map((name) => `${file}: ${path} asks for ${name}`);
      // What only a developer on another platform installs may be unknown to the registry the lock file was made with.
      const isChecked = path === '' || entry.integrity !== undefined || (entry.optional === true && entry.dev === true);
      return isChecked ? missing : [...missing, `${file}: ${path} has no checksum`];
    });
  });
  assert.deepEqual(faults, []);
});

test('every dependency stands with its reason in docs/dependencies.md, and nothing else does', () => {
  const page = textOf('docs/dependencies.md');
  const named = [...page.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name);
  const wanted = filesEnding('package.json').flatMap((file) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(textOf(file));
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  assert.deepEqual(new Set(named), new Set(wanted));
});
