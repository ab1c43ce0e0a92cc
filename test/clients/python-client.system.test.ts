import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { errorCodes } from '../../src/contract/errors.ts';
import { limitWindowMs, pollingIntervals } from '../../src/contract/limits.ts';
import { publicMarketStatuses, publicServiceStatuses } from '../../src/contract/schemas.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { blocksOf } from '../repository/markdown.ts';
import { ListenerHarness } from '../support/listener-harness.ts';
import {
  type Output,
  output,
  type PythonEnvironment,
  type PythonTools,
  pythonEnvironment,
  pythonNeeds,
  pythonTools,
} from '../support/python.ts';

const source = fileURLToPath(new URL('../../client-python', import.meta.url));

describe('the Python client', { timeout: 300_000 }, () => {
  let tools: PythonTools;
  let newest: PythonEnvironment;
  let folder: string;
  let package_: string;
  let wheel: string;
  let api: ListenerHarness;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    if ('skip' in pythonNeeds) return;
    tools = pythonTools();
    newest = tools.pythons.at(-1)!;
    folder = await mkdtemp(join(tmpdir(), 'python-client-'));
    package_ = join(folder, 'client-python');
    await cp(source, package_, { recursive: true, filter: (path) => !/__pycache__|_cache$/.test(path) });
    const made = join(folder, 'made');
    succeeded(await output(process.execPath, [join(source, '..', 'tools/client-packages/make.ts'), made]));
    wheel = join(made, (await readdir(made)).find((name) => name.endsWith('.whl'))!);
    api = await ListenerHarness.start({ clock: systemClock, limits: { key: 100_000 } });
    api.list('BTC', 'ETH');
    freshPrices();
    env = pythonEnvironment({ MARKET_DATA_BASE_URL: `http://127.0.0.1:${api.port}`, MARKET_DATA_API_KEY: api.key });
  });
  after(async () => {
    await api?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  function freshPrices(): void {
    api.tick('BTC', '50000.00', '50010.00');
    api.tick('ETH', '2000.00', '2001.00');
    api.rate('24.315');
  }

  /** A new environment with the wheel, what it asks for, and the test runner, from wheels alone. */
  async function installed({ version, python, wheels }: PythonEnvironment): Promise<string> {
    const environment = join(folder, version);
    succeeded(await output(python, ['-m', 'venv', '--without-pip', environment]));
    const own = join(environment, 'bin', 'python');
    const install = ['--python', own, 'install', '--quiet', '--no-index', '--find-links', wheels, wheel, 'pytest'];
    succeeded(await output(python, ['-m', 'pip', ...install], { env: pythonEnvironment() }));
    return own;
  }

  test('is a wheel with its code, the marker of its types, the page and the licence', pythonNeeds, async () => {
    const list = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))';
    const { out } = succeeded(await output(newest.python, ['-c', list, wheel]));
    const files = out.trim().split('\n');
    const modules = files.filter((file) => /^market_data_client\/\w+\.py$/.test(file));
    const others = files.filter((file) => !modules.includes(file)).map((file) => file.replace(/^.*info\//, ''));
    assert.deepEqual(
      new Set(others),
      new Set(['market_data_client/py.typed', 'METADATA', 'WHEEL', 'licenses/LICENSE', 'RECORD']),
    );
    assert.ok(modules.includes('market_data_client/__init__.py'));
    const metadata = 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.read(z.namelist()[-4]).decode())';
    const text = succeeded(await output(newest.python, ['-c', metadata, wheel])).out;
    assert.deepEqual(text.match(/^Requires-Dist: \S+?(?=[<>=])/gm), ['Requires-Dist: httpx']);
    const licences = [join(source, 'LICENSE'), join(source, '..', 'LICENSE')];
    const [own, root] = await Promise.all(licences.map((path) => readFile(path, 'utf8')));
    assert.equal(own, root);
  });

  test(
    'is what the build backend of its pyproject.toml makes, but for the name of its maker',
    pythonNeeds,
    async () => {
      const built = ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation', '-w', folder, package_];
      succeeded(await output(newest.python, built, { env: pythonEnvironment() }));
      const other = join(folder, (await readdir(folder)).find((name) => name.endsWith('.whl'))!);
      const list = `import json, sys, zipfile
def read(path):
    archive = zipfile.ZipFile(path)
    assert archive.testzip() is None
    return {info.filename: [info.external_attr >> 16 & 0o777, archive.read(info).decode()] for info in archive.infolist()}
print(json.dumps([read(path) for path in sys.argv[1:]]))`;
      const { out } = succeeded(await output(newest.python, ['-c', list, wheel, other]));
      const [own, theirs] = JSON.parse(out) as [Files, Files];
      // The backend's own name, its version of the metadata, and the digests of both files.
      const its = /^(Generator|Metadata-Version): .*$|^.*dist-info\/(WHEEL|METADATA),.*$/gm;
      for (const files of [own, theirs]) {
        for (const [name, [mode, text]] of Object.entries(files)) files[name] = [mode, text.replaceAll(its, '')];
      }
      assert.deepEqual(own, theirs);
    },
  );

  test(
    'passes its tests as an installed package on the oldest and the newest Python, with the real service',
    pythonNeeds,
    async (t) => {
      const runs = tools.pythons.map(async (environment) => {
        const python = await installed(environment);
        freshPrices();
        const { out } = succeeded(await output(python, ['-m', 'pytest', 'tests'], { env, cwd: package_ }));
        return { version: environment.version, out };
      });
      for (const { version, out } of await Promise.all(runs)) {
        const summary = out.trim().split('\n').at(-1)!;
        t.diagnostic(`Python ${version}: ${summary}`);
        assert.match(summary, /^(1[3-9]|[2-9]\d)\d passed in /);
      }
    },
  );

  test('is strict under both type checkers, formatted and clean, its examples too', pythonNeeds, async () => {
    const others = join(package_, 'src', 'examples');
    await mkdir(others);
    await cp(join(source, '..', 'examples', 'python-bot', 'bot.py'), join(others, 'bot.py'));
    for (const [index, code] of (await examples()).entries()) {
      await writeFile(join(others, `example_${index}.py`), code);
    }
    const check = (argv: readonly string[]) => output(newest.python, argv, { env, cwd: package_ });
    const results = await Promise.all([
      check(['-m', 'mypy', '--cache-dir', join(folder, 'mypy')]),
      check(['-m', 'ruff', 'check', '--no-cache', 'src', 'tests']),
      check(['-m', 'ruff', 'format', '--no-cache', '--check', 'src', 'tests']),
      output(process.execPath, [tools.pyright, '--pythonpath', newest.python], { env, cwd: package_ }),
    ]);
    for (const result of results) succeeded(result);
  });

  test('has a page whose every example runs against the real service', pythonNeeds, async () => {
    const codes = await examples();
    assert.ok(codes.length >= 4);
    freshPrices();
    const python = { env: { ...env, PYTHONPATH: join(package_, 'src') }, cwd: folder };
    const runs = codes.map(async (code, index) => {
      const file = join(folder, `example_${index}.py`);
      await writeFile(file, code);
      const stopAt = code.includes('.watch_') ? { stopAt: /a price to act on: \d/ } : {};
      const { out, err } = await output(newest.python, ['-u', file], { ...python, ...stopAt });
      assert.match(out, /\S/, code);
      assert.equal(err, '', code);
    });
    await Promise.all(runs);
  });

  test('has the codes, states and intervals of the contract', pythonNeeds, async () => {
    const script = `import json
from market_data_client import _core, _server_clock, problem_classes, known_market_statuses, known_service_statuses
names = ("_TICKER_INTERVAL", "_MARKETS_INTERVAL", "_STATUS_INTERVAL")
print(json.dumps([list(problem_classes), known_market_statuses, known_service_statuses,
  _server_clock.LIMIT_WINDOW * 1000, *(getattr(_core, name) * 1000 for name in names)]))`;
    const python = { env: { ...env, PYTHONPATH: join(package_, 'src') } };
    const { out } = succeeded(await output(newest.python, ['-c', script], python));
    const intervalOf = (path: string) => pollingIntervals.find((each) => each.path === path)?.intervalMs;
    assert.deepEqual(JSON.parse(out), [
      errorCodes,
      publicMarketStatuses,
      publicServiceStatuses,
      limitWindowMs,
      ...['/v1/tickers', '/v1/markets', '/v1/status'].map(intervalOf),
    ]);
  });
});

/** The files of an archive: their modes and texts. */
type Files = Record<string, [mode: number, text: string]>;

async function examples(): Promise<readonly string[]> {
  const blocks = blocksOf(await readFile(join(source, 'README.md'), 'utf8'));
  return blocks.filter(({ language }) => language === 'python').map(({ text }) => text);
}

/** Fails with what the program printed unless it succeeded. */
function succeeded(result: Output): Output {
  assert.equal(result.code, 0, `${result.out}${result.err}`);
  return result;
}
