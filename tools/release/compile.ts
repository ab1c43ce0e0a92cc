/**
 * Makes `dist/`, what of this program a package carries: plain JavaScript with source maps, since Node strips no types
 * under `node_modules`, and the files that it reads. `npm pack` runs this before (`prepack`), and with `--remove` after
 * it. A checkout needs none of it: there `bin/mdapi.js` runs the sources.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browserModule } from '../../src/ground/browser-code.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = join(root, 'dist');

/** Files read while the program runs. Those of `web` that are TypeScript are made into JavaScript one by one. */
const read = [
  'client-packages/*.{tgz,whl,metadata}',
  'client/README.md',
  'client-python/README.md',
  'docs/clients/*.md',
  'docs/runbook.md',
  'exchange-simulator/recordings/{LICENSE-cryptofeed,asset-pairs-2021-04-17.json,ws-v1-ticker-2021-04-17.jsonl}',
  'src/**/*.{awk,bash,fish,json,lua,sql,txt,yaml,zsh}',
  'web/**/*.{css,html,svg}',
];

rmSync(dist, { recursive: true, force: true });
if (!process.argv.includes('--remove')) compile();

function compile(): void {
  execFileSync('tsc', ['-p', join(root, 'tools/release')], { stdio: 'inherit' });
  for (const name of globSync('{src,exchange-simulator}/**/*.js', { cwd: dist })) leadToJavaScript(join(dist, name));
  for (const name of globSync('web/**/*.js{,.map}', { cwd: dist })) rmSync(join(dist, name));
  for (const name of globSync('web/{console,portal}/**/*.ts', { cwd: root })) {
    put(name.replace(/ts$/, 'js'), browserModule(readFileSync(join(root, name), 'utf8')));
  }
  execFileSync(process.execPath, [join(root, 'tools/client-packages/make.ts')]);
  for (const name of globSync(read, { cwd: root })) cpSync(join(root, name), join(dist, name));
  const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  put('package.json', `${JSON.stringify({ name, version, type })}\n`);
}

/**
 * The compiler changes the endings of imports. These are of workers and of programs that are started by their address.
 */
function leadToJavaScript(file: string): void {
  const code = readFileSync(file, 'utf8');
  writeFileSync(file, code.replaceAll(/(new URL\('[^']+)\.ts(?=', import\.meta\.url\))/g, '$1.js'));
}

function put(name: string, text: string): void {
  mkdirSync(dirname(join(dist, name)), { recursive: true });
  writeFileSync(join(dist, name), text);
}
