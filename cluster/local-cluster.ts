import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, generateApiKey, lastFourOf } from '../src/access/api-key.ts';
import { generateToken, tokenDigest } from '../src/access/operator-token.ts';
import { startStandInExchange } from '../src/cli/demo.ts';
import { systemClock, systemRandomness } from '../src/ground/clock.ts';
import { openStore } from '../src/store/store.ts';
import { eventually } from '../test/support/eventually.ts';
import { fixedPort } from '../test/support/fixed-port.ts';
import { Nginx } from '../test/support/nginx.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { RedisServer } from '../test/support/redis.ts';
import { ServeProcess } from './serve-process.ts';

/** PostgreSQL, Redis, a stand-in exchange, two feed processes, three API processes, and nginx, all on this machine. */
export type LocalCluster = Awaited<ReturnType<typeof startCluster>>;

/** Runs what was registered, the last first. */
export type Cleanup = { after(step: () => unknown): void };

/** Five processes need time to start on a busy machine. */
const startWithinMs = 120_000;

/** Resolves once every process serves, or `ended` aborts. `cleanup` stops what was started, also when this rejects. */
export async function startCluster(cleanup: Cleanup, ended: AbortSignal, progress: (text: string) => void) {
  const directory = temporaryDirectory(cleanup);
  progress('starting PostgreSQL, Redis and the stand-in exchange');
  const postgres = await startPostgres();
  cleanup.after(() => postgres.stop());
  const redis = await RedisServer.start(cleanup);
  const exchange = await startStandInExchange({ write: (text) => process.stderr.write(text), isTerminal: false });
  cleanup.after(() => exchange.stop());
  const store = await postgres.newDatabase();
  const secrets = await createSecrets(store);
  const publicPort = await fixedPort();
  const baseUrl = `http://127.0.0.1:${publicPort}`;
  const configuration = {
    // All processes share the few cores of one machine: a late event loop is no overload here.
    server: { baseUrl, trustedProxies: ['127.0.0.1'], overloadDelay: '10s' },
    store,
    history: { url: 'off' },
    redis: redis.url,
    sources: [{ id: 'kraken', urls: { rest: exchange.dialects.kraken!.restUrl, ws: exchange.dialects.kraken!.wsUrl } }],
    rates: { source: 'cnb', url: exchange.cnbUrl, compare: { source: 'ecb', url: exchange.ecbUrl } },
  };
  writeFileSync(join(directory, 'mdapi.yaml'), JSON.stringify(configuration, undefined, 2), { mode: 0o600 });
  const processes: ServeProcess[] = [];
  for (const name of ['feed-1', 'feed-2', 'api-1', 'api-2', 'api-3']) {
    progress(`starting ${name}`);
    const each = new ServeProcess(name, directory, await fixedPort(), await fixedPort());
    processes.push(each);
    cleanup.after(() => each.kill());
    await each.start();
  }
  progress('starting nginx, and waiting for prices');
  const apiPorts = processes.filter(({ role }) => role === 'api').map(({ port }) => port);
  await Nginx.start(cleanup, publicPort, apiPorts);
  const allServe = async () =>
    ended.aborted || (await Promise.all(processes.map((each) => each.serves(secrets.viewKey)))).every(Boolean);
  await eventually(`prices from every process (logs: ${directory})`, allServe, startWithinMs);
  return { baseUrl, processes, redis, exchangeControlUrl: exchange.dialects.kraken!.controlUrl, directory, secrets };
}

/** Removes the directory once its own input ends, however this process ends. Files in it can be in use for a moment. */
const sweeper = 'read -r end; for try in $(seq 20); do rm -rf "$1" 2>/dev/null && exit; sleep 0.3; done';

/** One directory for everything, the data of the servers included. */
function temporaryDirectory(cleanup: Cleanup): string {
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-cluster-'));
  const command = ['-c', sweeper, 'sweeper', directory];
  const child = spawn('/bin/sh', command, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  const swept = once(child, 'exit');
  cleanup.after(async () => {
    child.stdin.end();
    await swept;
  });
  // As root, PostgreSQL and nginx run as nobody and have to reach their own directories.
  if (process.geteuid?.() === 0) chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  return directory;
}

/** Creates the tables, an operator token, and a key each for the reader and for the requests of the view. */
async function createSecrets(url: string) {
  const store = await openStore({ url, clock: systemClock, randomness: systemRandomness, actor: 'cluster' });
  try {
    const account = await store.accounts.create({ email: 'cluster@example.com' });
    const createKey = async (label: string, limitPerMinute?: number) => {
      const key = generateApiKey(systemRandomness);
      const entry = { accountId: account.id, digest: digestOf(key), lastFour: lastFourOf(key), label, limitPerMinute };
      await store.keys.insert(entry);
      return key;
    };
    const operatorToken = generateToken('operator', systemRandomness);
    await store.tokens.insert({ role: 'admin', digest: tokenDigest(operatorToken), name: 'cluster' });
    return { key: await createKey('yours'), viewKey: await createKey('cluster view', 1_000_000), operatorToken };
  } finally {
    await store.close();
  }
}
