import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { filesEnding, textOf } from '../repository/files.ts';
import { blocksOf } from '../repository/markdown.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a program until it ends; an endless one is stopped after its first line. */
function output(file: string, argv: readonly string[], env: NodeJS.ProcessEnv, isEndless = false) {
  const child = spawn(file, [...argv], { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 20_000 });
  let [out, err] = ['', ''];
  child.stderr.on('data', (text) => {
    err += text;
  });
  child.stdout.on('data', (text) => {
    out += text;
    if (isEndless && out.includes('\n')) child.kill('SIGKILL');
  });
  return new Promise<{ out: string; err: string; code: number | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ out, err, code }));
  });
}

/** Whether a program is there to be run. */
function isThere(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  );
}

describe('the code in the guides and in the reference', { timeout: 110_000 }, () => {
  const cleanups: (() => unknown)[] = [];
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let preload: string;
  let reference: string;

  before(async () => {
    const harness = await ServiceHarness.start({ after: (clean) => cleanups.push(clean as () => unknown) });
    folder = await mkdtemp(join(tmpdir(), 'mdapi-samples-'));
    const { baseUrl } = harness.service;
    const operations = ['time', 'status', 'markets', 'ticker', 'tickers', 'openapi', 'root'].map(async (name) => {
      const response = await fetch(`${baseUrl}/docs/${name}.md`, { headers: { Connection: 'close' } });
      return response.text();
    });
    reference = (await Promise.all(operations)).join('\n');
    env = {
      ...process.env,
      ...{ BASE_URL: baseUrl, API_KEY: harness.credentials.key },
      ...{ NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
      PATH: `${join(repository, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`,
    };
    // The client by the name under which it is installed.
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    preload = join(folder, 'preload.mjs');
    const client = pathToFileURL(join(repository, 'client', 'src', 'index.ts')).href;
    await writeFile(
      preload,
      `import { registerHooks } from 'node:module';
       registerHooks({ resolve: (name, context, next) => next(name === 'market-data-client' ? '${client}' : name, context) });`,
    );
  });
  after(async () => {
    for (const clean of cleanups) await clean();
    await rm(folder, { recursive: true, force: true });
  });

  /** All blocks of a language, those of the reference too. */
  const samples = (language: string): readonly string[] => {
    const texts = [...filesEnding('.md', 'docs/clients').map(textOf), reference];
    return texts
      .flatMap((text) => blocksOf(text).filter((block) => block.language === language))
      .map(({ text }) => text);
  };

  test('in curl gets answers and no errors', async (t) => {
    const commands = samples('sh').filter((text) => text.includes('curl'));
    assert.ok(commands.length >= 9, `only ${commands.length} were found`);
    if (!(await isThere('curl'))) return t.skip('there is no curl: apt-get install curl');
    for (const text of commands) {
      const { out, err, code } = await output('sh', ['-c', text], env);
      assert.equal(code, 0, `${text}${err}`);
      assert.match(out, /\S/, text);
      assert.doesNotMatch(out, /^\{"type":"/m, text);
    }
  });

  test('in TypeScript compiles strictly and does what it says', async () => {
    const texts = samples('ts');
    assert.ok(texts.length >= 10, `only ${texts.length} were found`);
    const files = texts.map((_, index) => join(folder, `sample-${index}.ts`));
    for (const [index, file] of files.entries()) await writeFile(file, `${texts[index]}\nexport {};\n`);
    for (const [index, file] of files.entries()) {
      const isEndless = texts[index]!.includes('for (;;)');
      const { out, err } = await output(process.execPath, ['--import', preload, file], env, isEndless);
      assert.match(out, /\S/, texts[index]!);
      assert.equal(err, '', texts[index]!);
    }
    const own = files.filter((_, index) => !texts[index]!.includes('market-data-client'));
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(repository, 'tsconfig.json'),
        compilerOptions: { typeRoots: [join(repository, 'node_modules', '@types')] },
        files: own,
        include: [],
      }),
    );
    const { stdout } = await run('tsc', ['-p', folder], { env }).catch((failure) => failure);
    assert.equal(stdout, '');
  });

  test('in Python runs with nothing but its standard library', async (t) => {
    const texts = samples('python');
    assert.ok(texts.length >= 9, `only ${texts.length} were found`);
    if (!(await isThere('python3'))) return t.skip('there is no python3: apt-get install python3');
    for (const text of texts) {
      const file = join(folder, 'sample.py');
      await writeFile(file, text);
      const { out, err } = await output('python3', ['-I', '-u', file], env, text.includes('while True'));
      assert.match(out, /\S/, text);
      assert.equal(err, '', text);
    }
  });

  test('is shown in the portal as it stands in the files', async () => {
    const guide = await (await fetch(`${env.BASE_URL}/guides/polling.md`, { headers: { Connection: 'close' } })).text();
    const written = await readFile(join(repository, 'docs/clients/polling.md'), 'utf8');
    assert.deepEqual(blocksOf(guide), blocksOf(written));
  });
});
