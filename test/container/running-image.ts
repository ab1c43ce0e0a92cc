import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { Child } from '../support/mdapi-process.ts';
import type { StagedImage } from './staged-image.ts';

/** The user of the image has no name here, and so no rights but everybody's. */
const user = 10_001;

/** The program of a staged image, run as the image runs it: nothing of it can be written, only its volume. */
export class RunningImage {
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly child: Child;
  readonly #image: StagedImage;
  readonly #node: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(
    image: StagedImage,
    node: string,
    ports: readonly [number, number],
    child: Child,
    env: Record<string, string>,
  ) {
    this.baseUrl = `http://127.0.0.1:${ports[0]}`;
    this.adminUrl = `http://127.0.0.1:${ports[1]}`;
    this.child = child;
    this.#image = image;
    this.#node = node;
    this.#env = env;
  }

  /**
   * Resolves once it is ready.
   * @param node the runtime; everybody has to be able to run it
   * @param more of the environment
   */
  static async start(
    t: Pick<TestContext, 'after'>,
    image: StagedImage,
    { node, more = {} }: { readonly node: string; readonly more?: Readonly<Record<string, string>> },
  ): Promise<RunningImage> {
    const data = join(image.root, 'data');
    mkdirSync(data, { mode: 0o700 });
    const drop = dropping(node);
    if (drop.length > 0) chownSync(data, user, user);
    for (const folder of foldersOf(join(image.root, 'app'))) chmodSync(folder, 0o555);
    const ports = [await fixedPort(), await fixedPort()] as const;
    const env = {
      ...image.env,
      MDAPI_SERVER_PORT: String(ports[0]),
      MDAPI_ADMIN_PORT: String(ports[1]),
      MDAPI_STORE: `sqlite:${data}/mdapi.sqlite`,
      ...more,
    };
    const argv = [node, ...image.entrypoint, ...image.command];
    const child = new Child(t, '/usr/bin/env', [...drop, ...argv], { cwd: image.workingDirectory, env });
    t.after(() => {
      for (const folder of foldersOf(join(image.root, 'app'))) chmodSync(folder, 0o755);
      rmSync(image.root, { recursive: true, force: true });
    });
    const running = new RunningImage(image, node, ports, child, env);
    await eventually('it is ready', async () => !child.running || (await running.#isReady()), 60_000);
    if (!child.running) throw new Error(`the service ended: ${child.output}`);
    return running;
  }

  #isReady(): Promise<boolean> {
    return fetch(`${this.adminUrl}/readyz`, { headers: { Connection: 'close' } }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** Runs what `HEALTHCHECK` runs. */
  healthcheck(): { readonly status: number | null; readonly stdout: string } {
    return this.#run(this.#image.healthcheck);
  }

  /** Runs a command in the running container. */
  mdapi(...argv: readonly string[]): { readonly status: number | null; readonly stdout: string } {
    return this.#run([...this.#image.entrypoint, ...argv]);
  }

  #run(argv: readonly string[]): { status: number | null; stdout: string } {
    const [command = '', ...words] = [...dropping(this.#node), this.#node, ...argv];
    return spawnSync(command, words, {
      cwd: this.#image.workingDirectory,
      env: { PATH: process.env.PATH, ...this.#env },
      encoding: 'utf8',
      timeout: 30_000,
    });
  }
}

/**
 * The words before a command that take every right from it; none where there is none to take, or no way for others to
 * the runtime.
 */
function dropping(node: string): readonly string[] {
  if (process.geteuid?.() !== 0) return [];
  const words = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs'];
  return spawnSync(words[0]!, [...words.slice(1), node, '--version']).status === 0 ? words : [];
}

function foldersOf(folder: string): string[] {
  const inside = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...inside.flatMap(({ name }) => foldersOf(join(folder, name)))];
}
