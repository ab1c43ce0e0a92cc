import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { Page } from '../board/page.ts';
import { browserCode } from '../ground/browser-code.ts';
import type { Resource } from '../http/resource.ts';

/** A file that pages load, under an address that changes with its content. */
export interface Asset {
  readonly route: string;
  readonly contentType: string;
  /** One character for each byte. */
  readonly text: string;
}

const room = new URL('../../web/', import.meta.url);
/** This file's own: `.ts`, or `.js` in a package, where the scripts are JavaScript already. */
const ending = extname(import.meta.url);

/** In the order in which they are put together. */
const styles = ['frame', 'search', 'text', 'tables', 'landing', 'reference', 'status', 'narrow-and-print'];

let read: ReadonlyMap<string, Asset> | undefined;

/**
 * The portal's scripts and stylesheet, by their names in `web/portal`. Read and prepared once, when the first pages of
 * the process are made.
 */
export function portalAssets(): ReadonlyMap<string, Asset> {
  read ??= readAssets();
  return read;
}

/** The address of an asset within this listener. Throws on a name that is none. */
export function assetRoute(name: string): string {
  const asset = portalAssets().get(name);
  if (asset === undefined) throw new Error(`no such asset: ${name}`);
  return asset.route;
}

function readAssets(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  const style = ['theme', ...styles.map((name) => `portal/styles/${name}`)]
    .map((path) => textOf(`${path}.css`))
    .join('\n');
  assets.set('portal.css', assetOf('portal', 'css', 'text/css; charset=utf-8', style));
  const scripts = readdirSync(new URL('portal/', room)).filter((name) => name.endsWith(ending));
  for (const name of scripts) addScript(basename(name, ending), assets);
  return assets;
}

/** Adds a script and those it imports, which lie beside it. */
function addScript(name: string, assets: Map<string, Asset>): Asset {
  const known = assets.get(`${name}.js`);
  if (known !== undefined) return known;
  const text = textOf(`portal/${name}${ending}`);
  const code = (ending === '.js' ? text : browserCode(text)).replaceAll(
    /(\bfrom\s+)'\.\/([a-z-]+)\.[jt]s'/g,
    (_, from: string, imported: string) => `${from}'./${addScript(imported, assets).route.slice('/assets/'.length)}'`,
  );
  const script = assetOf(name, 'js', 'text/javascript; charset=utf-8', inAscii(code));
  assets.set(`${name}.js`, script);
  return script;
}

function textOf(path: string): string {
  return readFileSync(new URL(path, room), 'utf8');
}

/** A file under the address that its content gives it. @param text one character for each byte */
export function assetOf(name: string, ending: string, contentType: string, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 12);
  return { route: `/assets/${name}-${hash}.${ending}`, contentType, text };
}

/** Scripts have letters beyond ASCII in strings only, where an escape means the same. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Keeps a picture from running anything where it is opened by itself. */
const pictureHeaders = ['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox"];

/** Serves an asset, which never changes under its address, so that browsers keep it for good. */
export function assetResource({ route, contentType, text }: Asset): Resource {
  const answer = {
    kind: 'page',
    page: new Page(text),
    contentType,
    cacheControl: 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
    extraHeaders: contentType === 'image/svg+xml' ? pictureHeaders : [],
  } as const;
  return { route, answersInMaintenance: true, answer: () => answer };
}
