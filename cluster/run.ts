import { styleText } from 'node:util';
import { stopSignalOf } from '../src/cli/process.ts';
import { isoInstant } from '../src/contract/instant.ts';
import { systemClock as clock, sleep } from '../src/ground/clock.ts';
import { needsNginx } from '../test/support/nginx.ts';
import { postgresMissing } from '../test/support/postgres.ts';
import { needsRedis } from '../test/support/redis.ts';
import { type LocalCluster, startCluster } from './local-cluster.ts';
import { ask, type ServeProcess } from './serve-process.ts';
import { look, tableOf } from './view.ts';

const help = `  k  kill the process that leads the feed
  a  kill an API process
  r  freeze Redis, or let it go on
  q  quit
`;

const restartAfterMs = 10_000;
const pauseMs = 300;
const isLive = process.stdout.isTTY && process.stdin.isTTY;

await using stack = new AsyncDisposableStack();
const cleanup = { after: (step: () => unknown) => stack.defer(async () => void (await step())) };
const quit = new AbortController();
const ended = AbortSignal.any([quit.signal, stopSignalOf(process, clock)]);
const events: string[] = [];
let leader: string | undefined;
process.exitCode = await main();

async function main(): Promise<number> {
  const missing = [postgresMissing, needsRedis.skip, needsNginx.skip].filter((text) => text !== undefined);
  if (missing.length > 0) {
    process.stderr.write(`cluster: ${missing.join('\ncluster: ')}\n`);
    return 1;
  }
  try {
    const cluster = await startCluster(cleanup, ended, (text) => process.stderr.write(`cluster: ${text}\n`));
    if (!ended.aborted) await play(cluster);
    return 0;
  } catch (error) {
    process.stderr.write(`cluster: ${(error as Error).message}\n`);
    return 1;
  }
}

async function play(cluster: LocalCluster): Promise<void> {
  const introduction = introductionOf(cluster);
  if (isLive) openScreen();
  else process.stdout.write(`${introduction}\n${help}\n`);
  const answers = new Map<string, number>();
  void poll(cluster, answers);
  let view = await look(cluster);
  readKeys(cluster);
  let leaderlessSinceMs: number | undefined;
  while (!ended.aborted) {
    if (view.leader === undefined) leaderlessSinceMs ??= clock.monotonicMs();
    else if (view.leader !== leader || leaderlessSinceMs !== undefined) {
      const seconds = (clock.monotonicMs() - (leaderlessSinceMs ?? clock.monotonicMs())) / 1_000;
      const gap = leader === undefined ? '' : `, after ${seconds.toFixed(1)} s without a leader`;
      print(`${view.leader} leads the feed${gap}`);
      leader = view.leader;
      leaderlessSinceMs = undefined;
    }
    const shown = [introduction, ...tableOf(view, answers), '', ...events.slice(-6), '', help];
    if (isLive) process.stdout.write(`\u001b[H${shown.join('\n').replaceAll('\n', '\u001b[K\r\n')}\u001b[J`);
    await sleep(clock, pauseMs, ended);
    view = await look(cluster, view);
  }
}

function print(text: string): void {
  events.push(`${isoInstant(clock.now()).slice(11, 19)}  ${text}`);
  if (!isLive) process.stdout.write(`${events.at(-1)}\n`);
}

/** A client that asks for all prices through nginx, and counts what it gets. */
async function poll({ baseUrl, secrets }: LocalCluster, answers: Map<string, number>): Promise<void> {
  while (!ended.aborted) {
    const [status] = await ask(`${baseUrl}/v1/tickers`, secrets.viewKey);
    answers.set(status, (answers.get(status) ?? 0) + 1);
    await sleep(clock, pauseMs, ended);
  }
}

function readKeys({ processes, redis }: LocalCluster): void {
  let isFrozen = false;
  cleanup.after(() => isFrozen && redis.thaw());
  const press = async (key: string) => {
    if (key === 'k') await kill(processes.find(({ name }) => name === leader));
    if (key === 'a') await kill(processes.find(({ role, pid }) => role === 'api' && pid !== undefined));
    if (key === 'r') {
      isFrozen = !isFrozen;
      if (isFrozen) redis.freeze();
      else redis.thaw();
      print(isFrozen ? 'Redis is frozen: prices stop, API processes count limits themselves' : 'Redis answers again');
    }
    // A raw terminal delivers Ctrl-C and Ctrl-D as characters.
    if (['q', '\u0003', '\u0004'].includes(key)) quit.abort();
  };
  process.stdin.on('data', (chunk: Buffer) => {
    for (const key of chunk.toString()) press(key).catch((error: Error) => print(`failed: ${error.message}`));
  });
  cleanup.after(() => process.stdin.destroy());
}

async function kill(victim: ServeProcess | undefined): Promise<void> {
  if (victim?.pid === undefined) return print('there is no such process at the moment');
  await victim.kill();
  print(`${victim.name} was killed; it starts again in ${restartAfterMs / 1_000} s`);
  await sleep(clock, restartAfterMs, ended);
  if (ended.aborted) return;
  await victim.start();
  print(`${victim.name} was started again`);
}

function introductionOf({ baseUrl, processes, secrets, directory, exchangeControlUrl }: LocalCluster): string {
  return `${styleText('bold', `Five processes behind nginx on ${baseUrl}`)}

  API key            ${secrets.key}
  Console            ${processes.find(({ role }) => role === 'api')!.adminUrl}/console/
  Operator token     ${secrets.operatorToken}
  Exchange control   ${exchangeControlUrl}
  Logs               ${directory}

  curl -H 'X-EXCHANGE-APIKEY: ${secrets.key}' '${baseUrl}/v1/tickers'
  curl -H 'X-EXCHANGE-APIKEY: ${secrets.key}' '${baseUrl}/v1/status'
`;
}

/** The alternate screen, without cursor and line wrap, until the end. */
function openScreen(): void {
  process.stdin.setRawMode(true);
  process.stdout.write('\u001b[?1049h\u001b[?25l\u001b[?7l');
  cleanup.after(() => {
    process.stdin.setRawMode(false);
    process.stdout.write('\u001b[?7h\u001b[?25h\u001b[?1049l');
  });
}
