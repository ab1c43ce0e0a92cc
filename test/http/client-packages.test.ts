import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { textOf } from '../repository/files.ts';
import { ListenerHarness } from '../support/listener-harness.ts';

const version = '1.0.0';
const typescript = Buffer.from([0x1f, 0x8b, 0, 0xff, 13, 10, 0xc3]);
const python = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(9_000, 0xe9)]);
const pythonMetadata = Buffer.from('Name: market-data-client\nRequires-Python: >=3.10\n\nž\n');
const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const wheel = `market_data_client-${version}-py3-none-any.whl`;

describe('the packages of the clients over HTTP', () => {
  let api: ListenerHarness;
  before(async () => {
    api = await ListenerHarness.start({
      limits: { address: 1 },
      clientPackages: { version, typescript, python, pythonMetadata },
    });
  });
  after(() => api.stop());

  const get = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
    api.get(`/clients/${target}`, { key: null, method, headers });

  test('are their bytes, in no coding whatever is accepted, to be kept for minutes and asked for again with a tag', async () => {
    const files = {
      [`market-data-client-${version}.tgz`]: typescript,
      [wheel]: python,
      [`${wheel}.metadata`]: pythonMetadata,
    };
    for (const [name, bytes] of Object.entries(files)) {
      const whole = await get(name);
      assert.deepEqual([whole.status, whole.body.equals(bytes)], [200, true], name);
      assert.equal(whole.headers['cache-control'], 'public, max-age=300');
      assert.equal((await get(name, { 'If-None-Match': whole.headers.etag! })).status, 304);
      const head = await get(name, {}, 'HEAD');
      assert.deepEqual([head.status, head.body.length, head.headers['content-length']], [200, 0, `${bytes.length}`]);
      assert.equal((await get(name, {}, 'POST')).status, 405);
      if (name.endsWith('metadata')) continue;
      const coded = await get(name, { 'Accept-Encoding': 'gzip, br, zstd' });
      assert.deepEqual([coded.headers['content-encoding'], coded.body.equals(bytes)], [undefined, true], name);
    }
  });

  test('have an index for pip, as JSON and as HTML, with a digest of what it leads to, and no limit counts them', async () => {
    const json = 'application/vnd.pypi.simple.v1+json';
    const accept = `${json}, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01`;
    const list = await get('simple/market-data-client/', { Accept: accept });
    assert.equal(list.headers['content-type'], json);
    assert.deepEqual(JSON.parse(list.body.toString()), {
      meta: { 'api-version': '1.1' },
      name: 'market-data-client',
      versions: [version],
      files: [
        {
          filename: wheel,
          url: `../../${wheel}`,
          hashes: { sha256: digestOf(python) },
          size: python.length,
          'requires-python': '>=3.10',
          'core-metadata': { sha256: digestOf(pythonMetadata) },
        },
      ],
    });
    const page = await get('simple/market-data-client/', { Accept: 'text/html' });
    assert.match(page.headers['content-type']!, /^text\/html/);
    assert.ok(
      page.body
        .toString()
        .includes(`href="../../${wheel}#sha256=${digestOf(python)}" data-requires-python="&#62;=3.10"`),
    );
    assert.match(page.headers.vary!, /\bAccept\b/);
    assert.deepEqual(JSON.parse((await get('simple/', { Accept: accept })).body.toString()).projects, [
      { name: 'market-data-client' },
    ]);
    assert.match((await get('simple/')).body.toString(), /<a href="market-data-client\/">/);
  });

  test('lead from a path without its slash to the one with it, under whatever prefix a proxy adds', async () => {
    for (const path of ['simple', 'simple/market-data-client']) {
      const { status, headers } = await get(path);
      const base = new URL(`https://example.com/prefix/clients/${path}`);
      assert.deepEqual([status, new URL(headers.location!, base).href], [308, `${base.href}/`]);
    }
  });

  test('are all there is: no other path leads to a file', async () => {
    const paths = [
      '',
      'stamp',
      'bundled.json',
      '../package.json',
      '%2e%2e/package.json',
      'simple/..%2f',
      `.${wheel}`,
      `${wheel}%00`,
    ];
    for (const path of paths) {
      const target = `/clients/${path}`;
      assert.ok([404, 429].includes((await api.get(target, { key: null })).status), target);
    }
  });

  test('are in no answer of a service that has none, and in no description of the API', async (t) => {
    const bare = await ListenerHarness.start();
    t.after(() => bare.stop());
    assert.equal((await bare.get(`/clients/${wheel}`, { key: null })).status, 404);
    assert.ok(!textOf('docs/openapi/v1.json').includes('/clients/'));
  });
});
