import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, zip } from './archives.ts';

/** A wheel, and what `pip` reads before it takes the whole of it. */
export interface Wheel {
  readonly name: string;
  readonly bytes: Buffer;
  readonly metadata: Buffer;
}

/**
 * The wheel of `client-python/`, as its `pyproject.toml` describes it (binary distribution format 1.0, core metadata 2.4).
 * Made here, so that neither an image nor a checkout needs Python; a test compares it with the one of the build backend.
 */
export function pythonWheel(root: string): Wheel {
  const folder = join(root, 'client-python');
  const read = (name: string) => readFileSync(join(folder, name));
  const version = /"(.+)"/.exec(read('src/market_data_client/_version.py').toString())![1]!;
  const metadata = Buffer.from(metadataOf(read('pyproject.toml').toString(), version, read('README.md').toString()));
  const information = `market_data_client-${version}.dist-info`;
  const modules = globSync('market_data_client/*.{py,typed}', { cwd: join(folder, 'src') }).toSorted();
  const entries: Entry[] = [
    ...modules.map((name) => ({ name, bytes: read(`src/${name}`) })),
    { name: `${information}/METADATA`, bytes: metadata },
    { name: `${information}/WHEEL`, bytes: Buffer.from(wheelText) },
    { name: `${information}/licenses/LICENSE`, bytes: read('LICENSE') },
  ];
  const record = `${information}/RECORD`;
  const lines = entries.map(({ name, bytes }) => `${name},sha256=${digestOf(bytes)},${bytes.length}\n`);
  entries.push({ name: record, bytes: Buffer.from(`${lines.join('')}${record},,\n`) });
  return { name: `market_data_client-${version}-py3-none-any.whl`, bytes: zip(entries), metadata };
}

const wheelText = 'Wheel-Version: 1.0\nGenerator: market-data-api\nRoot-Is-Purelib: true\nTag: py3-none-any\n';

/** Of `pyproject.toml` what this project uses of it. Throws on a member that is not there. */
function metadataOf(project: string, version: string, readme: string): string {
  const value = (name: string) => {
    const [, text] = new RegExp(`^${name} = "(.*)"$`, 'm').exec(project) ?? [];
    if (text === undefined) throw new Error(`client-python/pyproject.toml has no ${name}`);
    return text;
  };
  const list = (name: string) =>
    [...(new RegExp(`^${name} = \\[(.*)\\]$`, 'm').exec(project)?.[1] ?? '').matchAll(/"([^"]*)"/g)].map(
      ([, item = '']) => item,
    );
  const lines = [
    'Metadata-Version: 2.4',
    `Name: ${value('name')}`,
    `Version: ${version}`,
    `Summary: ${value('description')}`,
    `License-Expression: ${value('license')}`,
    'License-File: LICENSE',
    ...list('classifiers')
      .toSorted()
      .map((one) => `Classifier: ${one}`),
    `Requires-Python: ${value('requires-python')}`,
    ...list('dependencies').map((one) => `Requires-Dist: ${sorted(one)}`),
    'Description-Content-Type: text/markdown',
  ];
  return `${lines.join('\n')}\n\n${readme}`;
}

/** A requirement with its bounds in the order of their text, as the build backend writes it. */
function sorted(requirement: string): string {
  const [, name = '', bounds = ''] = /^([\w-]+)(.*)$/.exec(requirement)!;
  return name + bounds.split(',').toSorted().join(',');
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
