import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** A file of the console as browsers get it. */
interface Asset {
  readonly contentType: string;
  readonly body: string;
  readonly entityTag: string;
}

const web = fileURLToPath(new URL('../../web/', import.meta.url));

/** The libraries of the console by the names they are imported by. Their files are served beside ours. */
const libraries: Readonly<Record<string, () => string>> = {
  preact: () => fileURLToPath(import.meta.resolve('preact')),
  'preact/hooks': () => fileURLToPath(import.meta.resolve('preact/hooks')),
  htm: () => fileURLToPath(import.meta.resolve('htm')),
  'htm/preact': () => fileURLToPath(import.meta.resolve('htm/preact')),
  // The build that bundles its dependencies.
  'lightweight-charts': () =>
    join(
      fileURLToPath(import.meta.resolve('lightweight-charts')),
      '..',
      'lightweight-charts.standalone.production.mjs',
    ),
};

const contentTypes: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const importMap = JSON.stringify({
  imports: Object.fromEntries(Object.keys(libraries).map((name) => [name, `./${libraryPath(name)}`])),
});
const importMapPlace = '<!-- import map -->';

/**
 * A page of the console loads nothing but from this listener. The import map is the only inline script, allowed by its hash.
 */
const consolePolicy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${hash('sha256', importMap, 'base64')}'`,
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the console under `/console/`: every file of `web/console`, TypeScript with its types stripped, and the libraries.
 * The folder is listed once; a file is prepared when it is first requested.
 */
export function addConsole(app: FastifyInstance): void {
  const sources = consoleFiles();
  const ready = new Map<string, Asset>();
  const assetOf = (path: string): Asset | undefined => {
    const make = sources.get(path);
    if (make !== undefined && !ready.has(path)) ready.set(path, make());
    return ready.get(path);
  };
  app.get('/', (_request, reply) => reply.redirect('/console/'));
  app.get('/console', (_request, reply) => reply.redirect('/console/'));
  app.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    const asset = assetOf(request.params['*'] === '' ? 'index.html' : request.params['*']);
    if (asset === undefined) return reply.callNotFound();
    return sendAsset(reply, asset, request.headers['if-none-match']);
  });
}

function sendAsset(reply: FastifyReply, asset: Asset, ifNoneMatch: string | undefined): FastifyReply {
  reply
    .header('ETag', asset.entityTag)
    .header('Cache-Control', 'no-cache')
    .header('Cross-Origin-Resource-Policy', 'same-origin');
  if (asset.contentType.startsWith('text/html')) {
    reply.header('Content-Security-Policy', consolePolicy).header('Cross-Origin-Opener-Policy', 'same-origin');
  }
  if (ifNoneMatch === asset.entityTag) return reply.code(304).send();
  return reply.header('Content-Type', asset.contentType).send(asset.body);
}

/** Every path below `/console/`, and how its file is prepared. */
function consoleFiles(): ReadonlyMap<string, () => Asset> {
  const files = new Map<string, () => Asset>();
  const add = (path: string, file: string) => {
    const contentType = contentTypes[extname(file)];
    if (contentType !== undefined && !/\.(test|testing)\.ts$/.test(file))
      files.set(path.replace(/\.ts$/, '.js'), () => asset(contentType, textOf(file)));
  };
  const root = join(web, 'console');
  if (existsSync(root)) {
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }))
      add(name.replaceAll('\\', '/'), join(root, name));
  }
  add('theme.css', join(web, 'theme.css'));
  for (const [name, locate] of Object.entries(libraries)) {
    files.set(libraryPath(name), () => asset(contentTypes['.ts']!, readFileSync(locate(), 'utf8')));
  }
  return files;
}

function libraryPath(name: string): string {
  return `vendor/${name.replace('/', '-')}.js`;
}

function textOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.html')) return text.replace(importMapPlace, `<script type="importmap">${importMap}</script>`);
  if (!file.endsWith('.ts')) return text;
  return stripTypeScriptTypes(text).replaceAll(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.[^'"\n]*)\.ts\2/g, '$1$2$3.js$2');
}

function asset(contentType: string, body: string): Asset {
  return { contentType, body, entityTag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}
