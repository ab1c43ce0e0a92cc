import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { type Entry, tarGz } from './archives.ts';

/** A package that is in a file of the client's. */
export interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** The package for npm, and what is bundled in it. */
export interface NpmPackage {
  readonly name: string;
  readonly bytes: Buffer;
  readonly bundled: readonly Bundled[];
}

const run = promisify(execFile);

/**
 * The package of `client/`: compiled for `import` and for `require`, with types and source maps, and the MCP server with
 * all it needs in one file, so that whoever installs the client installs nothing else.
 */
export async function npmPackage(root: string): Promise<NpmPackage> {
  const out = mkdtempSync(join(tmpdir(), 'market-data-client-'));
  try {
    const [bundled] = await Promise.all([
      bundleServer(root, join(out, 'mcp.js')),
      compile(root, 'build', join(out, 'esm')),
      compile(root, 'cjs', join(out, 'cjs')),
    ]);
    const manifest = readFileSync(join(root, 'client/package.json'));
    const papers = ['LICENSE', 'README.md'].map((name) => ({ name, bytes: readFileSync(join(root, 'client', name)) }));
    const entries: Entry[] = [
      { name: 'package.json', bytes: manifest },
      ...papers,
      { name: 'THIRD-PARTY-LICENSES', bytes: Buffer.from(licencesOf(root, bundled)) },
      ...compiled(out),
      { name: 'dist/cjs/package.json', bytes: Buffer.from('{ "type": "commonjs" }\n') },
    ];
    const named = entries.map(({ name, bytes }) => ({ name: `package/${name}`, bytes }));
    const { name, version } = JSON.parse(manifest.toString());
    return { name: `${name}-${version}.tgz`, bytes: tarGz(named), bundled: bundled.map(({ path: _, ...one }) => one) };
  } finally {
    rmSync(out, { recursive: true });
  }
}

async function compile(root: string, kind: 'build' | 'cjs', outDir: string): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', join(root, `client/tsconfig.${kind}.json`), '--outDir', outDir]);
}

/**
 * What the compiler wrote. In declarations file names become those that all of its versions find, in maps those of the
 * sources become the package's own, whose text is in the map, in the place of a folder of this machine.
 */
function compiled(out: string): Entry[] {
  return globSync('**/*.{js,map,ts}', { cwd: out })
    .toSorted()
    .map((name) => {
      let text = readFileSync(join(out, name), 'utf8');
      if (name.endsWith('.d.ts')) text = text.replaceAll(/(from |import\()'(\.\/[\w-]+)\.ts'/g, "$1'$2.js'");
      if (name.endsWith('.map'))
        text = text.replace(/"sources":\["[^"]*\/([\w-]+\.ts)"\]/, '"sources":["../../src/$1"]');
      return { name: `dist/${name}`, bytes: Buffer.from(text) };
    });
}

type Found = Bundled & { readonly path: string };

/** Returns the packages that went in. */
async function bundleServer(root: string, outfile: string): Promise<readonly Found[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['client/mcp/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minify: true,
    // Some of the packages ask for a module of Node when they are called.
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const folders = Object.keys(metafile.inputs).flatMap(
    (file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? [],
  );
  return [...new Set(folders)].toSorted().map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
    return { name, version, license, path };
  });
}

function licencesOf(root: string, bundled: readonly Found[]): string {
  const texts = bundled.map(({ name, version, license, path }) => {
    const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: join(root, path) });
    if (file === undefined) throw new Error(`${path} has no text of its licence`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(root, path, file), 'utf8').trim()}\n`;
  });
  return `dist/mcp.js holds these packages, under their licences.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
