/**
 * Makes the packages of both clients, which the service hands out under `/clients/`: `node
 * tools/client-packages/make.ts [FOLDER]`, `client-packages/` of this checkout when left out. The same sources give the
 * same bytes. Does nothing where they are made of these sources already.
 */
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, 'client-packages'));

/** What the packages are made of, and with. */
const inputs = [
  'client/{LICENSE,README.md,*.json}',
  'client/{src,mcp}/*',
  'client-python/{LICENSE,README.md,pyproject.toml}',
  'client-python/src/market_data_client/*.{py,typed}',
  'package-lock.json',
  'tools/client-packages/*.ts',
];

const stamp = stampOf(inputs.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted());
if (!isMade()) await make();

function stampOf(files: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function isMade(): boolean {
  try {
    return readFileSync(join(folder, 'stamp'), 'utf8') === stamp;
  } catch {
    return false;
  }
}

async function make(): Promise<void> {
  // Loaded only now: the compiler and the bundler are tools of a developer, which an installation lacks.
  const [{ npmPackage }, { pythonWheel }] = await Promise.all([import('./npm-package.ts'), import('./wheel.ts')]);
  const [npm, wheel] = [await npmPackage(root), pythonWheel(root)];
  mkdirSync(folder, { recursive: true });
  const files = new Map<string, Buffer | string>([
    [npm.name, npm.bytes],
    [wheel.name, wheel.bytes],
    [`${wheel.name}.metadata`, wheel.metadata],
    ['bundled.json', `${JSON.stringify(npm.bundled, null, 1)}\n`],
    ['stamp', stamp],
  ]);
  for (const [name, content] of files) put(name, content);
  for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name), { force: true });
}

/** Whole or not at all: a service may be reading it, and two starts may make it at once. */
function put(name: string, content: Buffer | string): void {
  const written = join(folder, `.${name}.${process.pid}`);
  writeFileSync(written, content);
  renameSync(written, join(folder, name));
}
