import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { filesEnding, textOf } from '../repository/files.ts';
import { blocksOf } from '../repository/markdown.ts';
import { type Output, output, pythonEnvironment, pythonTools } from '../support/python.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** A program from a page for clients. */
export interface Sample {
  /** The page, without its folder. */
  readonly page: string;
  readonly language: 'sh' | 'ts' | 'python';
  readonly text: string;
}

/** Where a service is, and a key for it. */
export interface Address {
  readonly baseUrl: string;
  readonly key: string;
}

/** Every program of a page. */
export function samplesIn(page: string, text: string): readonly Sample[] {
  return blocksOf(text).flatMap((block) => {
    const isShell = block.language === 'sh' && /^\s*(\w+=\$\()?curl /m.test(block.text);
    if (block.language !== 'ts' && block.language !== 'python' && !isShell) return [];
    return [{ page, language: block.language as Sample['language'], text: block.text }];
  });
}

/** Every program of every guide. */
export const guideSamples: readonly Sample[] = filesEnding('.md', 'docs/clients').flatMap((file) =>
  samplesIn(file.replace(/^.*\//, ''), textOf(file)),
);

/** Runs samples as their readers do, with both clients installed. */
export class SampleRunner {
  readonly folder: string;
  readonly #preload: string;
  #count = 0;

  private constructor(folder: string) {
    this.folder = folder;
    this.#preload = join(folder, 'preload.mjs');
  }

  static async start(): Promise<SampleRunner> {
    const runner = new SampleRunner(await mkdtemp(join(tmpdir(), 'mdapi-samples-')));
    await writeFile(join(runner.folder, 'package.json'), '{ "type": "module" }');
    // The client by the name under which it is installed.
    const client = pathToFileURL(join(repository, 'client', 'src', 'index.ts')).href;
    await writeFile(
      runner.#preload,
      `import { registerHooks } from 'node:module';
       registerHooks({ resolve: (name, context, next) => next(name === 'market-data-client' ? '${client}' : name, context) });`,
    );
    return runner;
  }

  /** Runs a sample until it ends; an endless one until it has printed a line, and then its code is null. */
  async run({ language, text }: Sample, { baseUrl, key }: Address): Promise<Output> {
    const env = pythonEnvironment({
      BASE_URL: baseUrl,
      API_KEY: key,
      PYTHONPATH: join(repository, 'client-python', 'src'),
      PATH: `${join(repository, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`,
    });
    const isEndless = /for \(;;\)|while True/.test(text);
    const options = { env, cwd: this.folder, ...(isEndless ? { stopAt: /\n/ } : {}) };
    if (language === 'sh') return output('sh', ['-c', text], options);
    const file = join(this.folder, `sample-${++this.#count}.${language === 'ts' ? 'ts' : 'py'}`);
    await writeFile(file, language === 'ts' ? `${text}\nexport {};\n` : text);
    if (language === 'ts') return output(process.execPath, ['--import', this.#preload, file], options);
    return output(pythonTools().pythons.at(-1)!.python, ['-u', file], options);
  }

  /** Runs samples, some at a time, and hands over what each printed. */
  async runAll(
    samples: readonly Sample[],
    address: Address,
    look: (sample: Sample, printed: Output) => void,
  ): Promise<void> {
    const waiting = [...samples];
    const work = async () => {
      for (let sample = waiting.shift(); sample !== undefined; sample = waiting.shift()) {
        look(sample, await this.run(sample, address));
      }
    };
    await Promise.all([work(), work(), work()]);
  }

  stop(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
