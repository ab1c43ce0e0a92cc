import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { browserModule } from '../ground/browser-code.ts';
import { html } from '../ground/html.ts';
import { type Environment, environmentBand, environmentStyle, pageTitle } from './environment.ts';

const web = fileURLToPath(new URL('../../web/', import.meta.url));

/** The libraries of the console by the names they are imported by. Their files are served beside ours. */
const libraries = ['preact', 'preact/hooks', 'htm', 'htm/preact', 'lightweight-charts'];

const contentTypes: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const importMap = JSON.stringify({
  imports: Object.fromEntries(libraries.map((name) => [name, `./${libraryPath(name)}`])),
});
const importMapPlace = '<!-- import map -->';
const environmentPlace = '<!-- environment -->';
const environmentSheet = 'environment.css';

/**
 * A page of the console loads nothing but from this listener. The import map is the only inline script, allowed by its
 * hash.
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
 * Serves the console under `/console/`: every file of `web/console`, TypeScript with its types stripped, and the
 * libraries. The folder is listed once; a file is prepared when it is first requested.
 */
export function addConsole(app: FastifyInstance, environment?: Environment): void {
  const files = consoleFiles();
  const ready = new Map([[environmentSheet, assetOf('.css', environmentStyle(environment))]]);
  app.get('/', (_request, reply) => reply.redirect('/console/'));
  app.get('/console', (_request, reply) => reply.redirect('/console/'));
  app.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    const path = request.params['*'] || 'index.html';
    const file = files.get(path);
    const asset =
      ready.get(path) ?? (file === undefined ? undefined : assetOf(extname(file), textOf(file, environment)));
    if (asset === undefined) return reply.callNotFound();
    ready.set(path, asset);
    return sendAsset(reply, asset, request.headers['if-none-match']);
  });
}

function sendAsset(
  reply: FastifyReply,
  { contentType, body, entityTag }: ReturnType<typeof assetOf>,
  ifNoneMatch: string | undefined,
): FastifyReply {
  reply.headers({ ETag: entityTag, 'Cache-Control': 'no-cache', 'Cross-Origin-Resource-Policy': 'same-origin' });
  if (contentType.startsWith('text/html'))
    reply.headers({ 'Content-Security-Policy': consolePolicy, 'Cross-Origin-Opener-Policy': 'same-origin' });
  if (ifNoneMatch === entityTag) return reply.code(304).send();
  return reply.header('Content-Type', contentType).send(body);
}

/** Every path below `/console/`, and its file. */
function consoleFiles(): ReadonlyMap<string, string> {
  const root = join(web, 'console');
  const own = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => extname(name) in contentTypes && !/\.(test|testing)\.ts$/.test(name),
  );
  return new Map([
    ...own.map((name) => [name.replaceAll('\\', '/').replace(/\.ts$/, '.js'), join(root, name)] as const),
    ['theme.css', join(web, 'theme.css')],
    ...libraries.map((name) => [libraryPath(name), libraryFile(name)] as const),
  ]);
}

function libraryPath(name: string): string {
  return `vendor/${name.replace('/', '-')}.js`;
}

function libraryFile(name: string): string {
  const file = fileURLToPath(import.meta.resolve(name));
  // The build that bundles its dependencies.
  return name === 'lightweight-charts' ? join(file, '..', `${name}.standalone.production.mjs`) : file;
}

/** An answer with the type that its ending stands for. */
function assetOf(ending: string, body: string) {
  const contentType = contentTypes[ending] ?? contentTypes['.ts']!;
  return { contentType, body, entityTag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}

function textOf(file: string, environment: Environment | undefined): string {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.html'))
    return text
      .replace(importMapPlace, `<script type="importmap">${importMap}</script>`)
      .replace(environmentPlace, () => html`${environmentBand(environment)}`.text)
      .replace(/(?<=<title>)[^<]*/, (title) => html`${pageTitle(title, environment)}`.text);
  return file.endsWith('.ts') ? browserModule(text) : text;
}
