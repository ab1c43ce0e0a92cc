import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { blocksOf } from '../repository/markdown.ts';
import { output, pythonNeeds } from '../support/python.ts';
import { ServiceHarness } from '../support/service-harness.ts';
import { findSystemProgram } from '../support/system-program.ts';
import { type Address, guideSamples, type Sample, SampleRunner, samplesIn } from './guide-samples.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const curl = findSystemProgram({ names: ['curl'], package: 'curl', orElse: 'any curl on the path' });

describe('the code in the guides and in the reference', { timeout: 300_000 }, () => {
  const cleanups: (() => unknown)[] = [];
  let runner: SampleRunner;
  let address: Address;
  let all: readonly Sample[];

  before(async () => {
    const harness = await ServiceHarness.start({ after: (clean) => cleanups.push(clean as () => unknown) });
    address = { baseUrl: harness.service.baseUrl, key: harness.credentials.key };
    runner = await SampleRunner.start();
    const operations = ['time', 'status', 'markets', 'ticker', 'tickers', 'openapi', 'root'];
    const reference = await Promise.all(operations.map((name) => textAt(`/docs/${name}.md`)));
    all = [...guideSamples, ...reference.flatMap((text) => samplesIn('the reference', text))];
  });
  after(async () => {
    for (const clean of cleanups) await clean();
    await runner?.stop();
  });

  async function textAt(path: string): Promise<string> {
    return (await fetch(`${address.baseUrl}${path}`, { headers: { Connection: 'close' } })).text();
  }

  function written(language: Sample['language'], atLeast: number): readonly Sample[] {
    const found = all.filter((sample) => sample.language === language);
    assert.ok(found.length >= atLeast, `only ${found.length} were found`);
    return found;
  }

  test('in curl gets answers and no errors', curl.needs, async () => {
    await runner.runAll(written('sh', 8), address, ({ text }, { out, err, code }) => {
      assert.equal(code, 0, `${text}${err}`);
      assert.match(out, /\S/, text);
      assert.doesNotMatch(out, /^\{"type":"/m, text);
    });
  });

  test('in TypeScript does what it says', async () => {
    await runner.runAll(written('ts', 8), address, ({ text }, { out, err }) => {
      assert.match(out, /\S/, text);
      assert.equal(err, '', text);
    });
  });

  test('in TypeScript compiles strictly', async () => {
    const strict = written('ts', 8).map(({ text }, index) => ({
      file: join(runner.folder, `strict-${index}.ts`),
      text,
    }));
    for (const { file, text } of strict) await writeFile(file, `${text}\nexport {};\n`);
    const files = strict.map(({ file }) => file);
    const paths = { 'market-data-client': [join(repository, 'client', 'src', 'index.ts')] };
    const compilerOptions = { paths, typeRoots: [join(repository, 'node_modules', '@types')] };
    const project = { extends: join(repository, 'tsconfig.json'), compilerOptions, files, include: [] };
    await writeFile(join(runner.folder, 'tsconfig.json'), JSON.stringify(project));
    const tsc = join(repository, 'node_modules', '.bin', 'tsc');
    const { out } = await output(tsc, ['-p', runner.folder], { env: process.env });
    assert.equal(out, '');
  });

  test('in Python does what it says', pythonNeeds, async () => {
    await runner.runAll(written('python', 9), address, ({ text }, { out, err }) => {
      assert.match(out, /\S/, text);
      assert.equal(err, '', text);
    });
  });

  test('is shown in the portal as it stands in the files', async () => {
    const file = await readFile(join(repository, 'docs/clients/status.md'), 'utf8');
    assert.deepEqual(blocksOf(await textAt('/guides/status.md')), blocksOf(file));
  });
});
