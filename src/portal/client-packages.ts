import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { Page } from '../board/page.ts';
import { html } from '../ground/html.ts';
import { asciiJson, type PageAnswer } from '../http/answer.ts';
import type { Resource } from '../http/resource.ts';

/** Where `tools/client-packages` puts them: in a package beside the program, in a checkout on demand. */
const made = new URL('../../client-packages/', import.meta.url);

/** The name of the Python package in an index (PEP 503). */
const project = 'market-data-client';

/** Paths of what clients install. */
export function clientRoutes(version: string) {
  return {
    typescript: `/clients/market-data-client-${version}.tgz`,
    python: `/clients/market_data_client-${version}-py3-none-any.whl`,
    index: '/clients/simple/',
  };
}

/** The packages of both clients, of one version. */
export interface ClientPackages {
  readonly version: string;
  readonly typescript: Buffer;
  readonly python: Buffer;
  /** The wheel's core metadata, which installers read first (PEP 658). */
  readonly pythonMetadata: Buffer;
}

/** Reads the packages of this version. `undefined` where they were not made, as in a bare checkout. */
export function readClientPackages(version: string, folder: URL = made): ClientPackages | undefined {
  const { typescript, python } = clientRoutes(version);
  const file = (route: string) => new URL(route.replace('/clients/', ''), folder);
  const files = [typescript, python, `${python}.metadata`].map(file);
  if (!files.every((each) => existsSync(each))) return undefined;
  const [npm, wheel, pythonMetadata] = files.map((each) => readFileSync(each));
  return { version, typescript: npm!, python: wheel!, pythonMetadata: pythonMetadata! };
}

/**
 * The packages, and an index of the Python one for `pip --index-url`. Nothing is looked up by a client's words: each
 * file is a path of its own.
 */
export function clientPackageResources(packages: ClientPackages): readonly Resource[] {
  const routes = clientRoutes(packages.version);
  const list = routes.index;
  const files = `${list}${project}/`;
  return [
    resourceOf(routes.typescript, archive(packages.typescript, 'application/gzip')),
    resourceOf(routes.python, archive(packages.python, 'application/octet-stream')),
    resourceOf(
      `${routes.python}.metadata`,
      text(packages.pythonMetadata.toString('latin1'), 'text/plain; charset=utf-8'),
    ),
    indexResource(list, { meta, projects: [{ name: project }] }, html`<a href="${project}/">${project}</a>`.text),
    indexResource(files, fileList(packages), fileLink(packages)),
    ...[list, files].map(withSlash),
  ];
}

/** The version of the protocol that the index speaks (PEP 629, 691, 700). */
const meta = { 'api-version': '1.1' };

function fileList(packages: ClientPackages): object {
  const { name, requiresPython, digest, metadataDigest } = wheelOf(packages);
  const file = {
    filename: name,
    url: `../../${name}`,
    hashes: { sha256: digest },
    size: packages.python.length,
    'requires-python': requiresPython,
    'core-metadata': { sha256: metadataDigest },
  };
  return { meta, name: project, versions: [packages.version], files: [file] };
}

function fileLink(packages: ClientPackages): string {
  const { name, requiresPython, digest, metadataDigest } = wheelOf(packages);
  return html`<a href="../../${name}#sha256=${digest}" data-requires-python="${requiresPython}" data-core-metadata="sha256=${metadataDigest}">${name}</a>`
    .text;
}

function wheelOf({ version, python, pythonMetadata }: ClientPackages) {
  const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  return {
    name: clientRoutes(version).python.replace('/clients/', ''),
    requiresPython: /^Requires-Python: (.*)$/m.exec(pythonMetadata.toString())?.[1] ?? '',
    digest: digestOf(python),
    metadataDigest: digestOf(pythonMetadata),
  };
}

const jsonType = 'application/vnd.pypi.simple.v1+json';

/** A page of the index: JSON for programs that take it, as `pip` does, else HTML. */
function indexResource(route: string, json: object, links: string): Resource {
  const page = `<!DOCTYPE html>\n<html><head><meta name="pypi:repository-version" content="${meta['api-version']}"><title>Packages</title></head><body>\n${links}\n</body></html>\n`;
  const answers = { json: text(asciiJson(json), jsonType), html: text(page, 'text/html; charset=utf-8') };
  return {
    ...resourceOf(route, answers.html),
    answer: ({ headers }) => (headers.accept?.includes(jsonType) ? answers.json : answers.html),
  };
}

/** Installers ask with a slash at the end; people forget it. */
function withSlash(route: string): Resource {
  const location = `./${route.split('/').at(-2)}/`;
  return { route: route.slice(0, -1), answersInMaintenance: true, answer: () => ({ kind: 'redirect', location }) };
}

function resourceOf(route: string, answer: PageAnswer): Resource {
  return { route, answersInMaintenance: true, answer: () => answer };
}

function text(content: string, contentType: string): PageAnswer {
  return {
    kind: 'page',
    page: new Page(content),
    contentType,
    // A version has the same bytes for good once it is released; where it is developed, the index and its files change.
    cacheControl: 'public, max-age=300',
    vary: 'Accept, Accept-Encoding',
    extraHeaders: ['Content-Security-Policy', "default-src 'none'"],
  };
}

function archive(bytes: Buffer, contentType: string): PageAnswer {
  return { ...text(bytes.toString('latin1'), contentType), isCompressed: true };
}
