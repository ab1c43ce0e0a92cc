import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.ts';
import { needsNginx } from '../support/nginx.ts';
import { postgresMissing } from '../support/postgres.ts';
import { needsRedis } from '../support/redis.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const startedWithinMs = 100_000;
const soonMs = 30_000;

/** The command as it runs in a pipe: letters go in, lines come out. */
class ClusterCommand {
  readonly ended: Promise<unknown[]>;
  output = '';
  readonly #child;

  constructor(t: TestContext) {
    const child = spawn(process.execPath, ['cluster/run.ts'], { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => {
        this.output += text.toString();
      });
    }
    this.ended = once(child, 'exit');
    this.#child = child;
    t.after(async () => {
      child.kill('SIGKILL');
      await this.ended;
    });
  }

  press(key: string): void {
    this.#child.stdin.write(`${key}\n`);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** What the pattern's group stands for, once such a line is there. */
  async says(pattern: RegExp, withinMs = soonMs): Promise<string> {
    try {
      return await eventually(String(pattern), () => pattern.exec(this.output)?.[1], withinMs);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.output}`);
    }
  }

  /** Its address, and a key that opens it. */
  async introduced() {
    const directory = await this.says(/^ {2}Logs +(\S+)/m, startedWithinMs);
    const [, key = '', url = ''] = /^ {2}curl -H 'X-EXCHANGE-APIKEY: (\S+)' '(\S+)\/v1\/tickers'$/m.exec(this.output)!;
    return { directory, url, tickers: () => fetch(`${url}/v1/tickers`, { headers: { 'X-EXCHANGE-APIKEY': key } }) };
  }
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (answer) => {
      await answer.arrayBuffer();
      return true;
    },
    () => false,
  );
}

const needsPostgres = postgresMissing === undefined ? {} : { skip: postgresMissing };
const options = { ...needsPostgres, ...needsRedis, ...needsNginx, timeout: 240_000 };

test(
  'the cluster command serves with the key it prints, shows a takeover, survives the loss of a process and of Redis, and leaves nothing behind',
  options,
  async (t) => {
    const command = new ClusterCommand(t);
    const { directory, url, tickers } = await command.introduced();
    const answer = await tickers();
    assert.equal(answer.status, 200);
    const body = (await answer.json()) as { tickers: readonly unknown[] };
    assert.ok(body.tickers.length > 0);
    const leader = await command.says(/ (feed-[12]) leads the feed/);
    const other = leader === 'feed-1' ? 'feed-2' : 'feed-1';
    command.press('k');
    await command.says(new RegExp(` (${leader}) was killed`));
    await command.says(new RegExp(` (${other}) leads the feed, after [\\d.]+ s without a leader`));
    command.press('a');
    await command.says(/ (api-1) was killed/);
    assert.equal((await tickers()).status, 200);
    command.press('r');
    await command.says(/ (Redis) is frozen/);
    assert.equal((await tickers()).status, 200);
    command.press('q');
    assert.deepEqual(await command.ended, [0, null]);
    assert.equal(await answers(url), false);
    assert.ok(!existsSync(directory));
  },
);

test('all that the cluster command started ends with it, even when it is killed', options, async (t) => {
  const command = new ClusterCommand(t);
  const { url, directory } = await command.introduced();
  const consoleUrl = await command.says(/^ {2}Console +(\S+)/m);
  const exchangeUrl = await command.says(/^ {2}Exchange control +(\S+)/m);
  for (const each of [url, consoleUrl, exchangeUrl]) assert.equal(await answers(each), true, each);
  command.kill();
  for (const each of [url, consoleUrl, exchangeUrl]) {
    await eventually(`${each} is gone`, async () => !(await answers(each)), soonMs);
  }
  await eventually(`${directory} is gone`, () => !existsSync(directory), soonMs);
});
