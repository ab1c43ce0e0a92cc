import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Child } from './mdapi-process.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const installed = join(repository, 'node_modules', '.cache', 'clickhouse');
const program = fileURLToPath(new URL('./clickhouse-engine.ts', import.meta.url));

/** Options for `test`: a test that needs the engine is skipped without it; the runner names it, and in CI fails. */
export const clickHouseNeeds = existsSync(join(installed, 'made'))
  ? {}
  : { skip: 'there is no ClickHouse engine: tools/clickhouse.sh' };

const password = 'pass:word/1';

/** A ClickHouse engine behind its HTTP interface, with an empty database `record`. */
export class ClickHouseEngine {
  readonly #child: Child;
  readonly #port: string;

  /** @param directory of its data: the next one on it goes on from there */
  static async start(t: Pick<TestContext, 'after'>, directory: string): Promise<ClickHouseEngine> {
    const argv = [program, join(installed, 'node_modules'), join(directory, 'clickhouse'), password];
    const child = new Child(t, process.execPath, argv, { cwd: directory });
    const engine = new ClickHouseEngine(child, await child.firstLine());
    await engine.query('CREATE DATABASE IF NOT EXISTS record', 'default');
    return engine;
  }

  private constructor(child: Child, port: string) {
    this.#child = child;
    this.#port = port;
  }

  /** With its password. */
  get url(): string {
    return `http://mdapi:${encodeURIComponent(password)}@127.0.0.1:${this.#port}/record`;
  }

  /** INSERT statements of rows and segments that began. */
  get inserts(): number {
    return this.#child.stdout.split('\n').filter((line) => /^INSERT INTO (?!coverage)/.test(line)).length;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#child.ended;
  }

  async rows<Row>(query: string): Promise<Row[]> {
    const lines = (await this.query(`${query} FORMAT JSONEachRow`)).split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Row);
  }

  async query(query: string, database = 'record'): Promise<string> {
    const headers = { Authorization: `Basic ${Buffer.from(`mdapi:${password}`).toString('base64')}` };
    const address = `http://127.0.0.1:${this.#port}/?database=${database}`;
    const response = await fetch(address, { method: 'POST', body: query, headers });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text;
  }
}
