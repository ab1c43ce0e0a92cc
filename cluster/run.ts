import { parseArgs } from 'node:util';
import { stopSignalOf, terminalOf } from '../src/cli/process.ts';
import { paintFor } from '../src/cli/style.ts';
import { systemClock } from '../src/clock.ts';
import { Load } from './load.ts';
import { LocalCluster, Undo } from './local-cluster.ts';
import { Looker } from './look.ts';
import { Plays, playKeys } from './plays.ts';
import { findPrograms } from './programs.ts';
import { follow, linesShow, type Show, tableShow } from './show.ts';

const help = `npm run cluster [-- --json]

Starts PostgreSQL, Redis, a stand-in exchange, two feeds, three nodes for clients, and nginx in front of them, all on free
ports of this machine, and shows live what they do. Everything ends with it.

${Object.entries(playKeys)
  .map(([key, does]) => `  ${key}  ${does}`)
  .join('\n')}
  q  quit

Where stdin or stdout is no terminal it prints lines, and takes the same letters from stdin. With --json each line is one
object whose \`event\` is started, told or seen.
`;

const parentLookEveryMs = 1_000;
const clock = systemClock;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = read();
  if (options === undefined) return 2;
  if (options.help) {
    process.stdout.write(help);
    return 0;
  }
  const programs = findPrograms();
  if ('missing' in programs) {
    process.stderr.write(`${programs.missing}\n`);
    return 1;
  }
  const undo = new Undo();
  const quit = new AbortController();
  const ended = AbortSignal.any([quit.signal, stopSignalOf(process, clock)]);
  endWithParent(quit);
  try {
    const progress = (text: string) => process.stderr.write(`cluster: ${text}\n`);
    const cluster = await LocalCluster.start(programs, undo, ended, progress);
    if (!ended.aborted) await play(cluster, options.json, quit, ended, undo);
    return 0;
  } catch (error) {
    process.stderr.write(`cluster: ${(error as Error).message}\n`);
    return 1;
  } finally {
    await undo.run();
  }
}

function read() {
  try {
    const options = {
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
    } as const;
    return parseArgs({ args: process.argv.slice(2), options }).values;
  } catch (error) {
    process.stderr.write(`cluster: ${(error as Error).message}\n${help}`);
    return undefined;
  }
}

/** Whoever started it may be gone without a word to it, as npm is when it is killed. */
function endWithParent(quit: AbortController): void {
  const parent = process.ppid;
  clock.every(parentLookEveryMs, () => {
    if (process.ppid !== parent) quit.abort();
  });
}

async function play(
  cluster: LocalCluster,
  json: boolean,
  quit: AbortController,
  ended: AbortSignal,
  undo: Undo,
): Promise<void> {
  const load = new Load(clock, cluster.baseUrl, cluster.secrets.load);
  undo.after(() => load.stop());
  const looker = new Looker(cluster, clock);
  undo.after(() => looker.stop());
  const show = showFor(cluster, json, load);
  undo.after(() => show.close());
  const plays = new Plays(cluster, clock, load, (text) => show.tell(text), ended);
  const typed = (chunk: Buffer) => {
    for (const key of chunk.toString()) {
      // Ctrl-C and Ctrl-D come as keys where a terminal passes them on.
      if (['q', 'Q', '\u0003', '\u0004'].includes(key)) quit.abort();
      else plays.press(key);
    }
  };
  const gone = () => process.stdin.isTTY && quit.abort();
  process.stdin.on('data', typed).on('end', gone).on('error', gone).on('close', gone);
  undo.after(() => process.stdin.destroy());
  const seen = (view: Awaited<ReturnType<Looker['look']>>) => {
    show.saw(view);
    plays.saw(view);
  };
  await follow(() => looker.look(), seen, clock, ended);
}

function showFor(cluster: LocalCluster, json: boolean, load: Load): Show {
  const { baseUrl, secrets, nodes } = cluster;
  const consoleUrl = `${nodes.find(({ role }) => role === 'api')!.adminUrl}/console/`;
  const still = { baseUrl, key: secrets.yours.key, consoleUrl, operatorToken: secrets.operatorToken, load };
  const stdout = {
    write: (text: string) => void process.stdout.write(text),
    isTerminal: process.stdout.isTTY === true,
  };
  const terminal = terminalOf(process);
  if (json) {
    const { load: _, ...addresses } = still;
    const processes = nodes.map(({ name, role, pid, adminUrl }) => ({ name, role, pid, adminUrl }));
    const event = { event: 'started', ...addresses, exchangeControlUrl: cluster.exchangeControlUrl, processes };
    stdout.write(`${JSON.stringify(event)}\n`);
  } else stdout.write(introduction(cluster, consoleUrl, paintFor({ stdout, env: process.env })));
  if (terminal === undefined || json || process.env.TERM === 'dumb') return linesShow(stdout, json, clock);
  return tableShow(still, stdout, terminal, process.env, clock);
}

function introduction(cluster: LocalCluster, consoleUrl: string, paint: ReturnType<typeof paintFor>): string {
  const { baseUrl, secrets, directory, exchangeControlUrl } = cluster;
  const curl = (path: string) => `  curl -H 'X-EXCHANGE-APIKEY: ${secrets.yours.key}' '${baseUrl}${path}'`;
  return [
    paint.heading(`Five processes behind nginx, on ${baseUrl}`),
    '',
    `  API key            ${secrets.yours.key}`,
    `  Console            ${consoleUrl}`,
    `  Operator token     ${secrets.operatorToken}`,
    `  Exchange control   ${exchangeControlUrl}  (rehearse an outage)`,
    `  Logs               ${directory}`,
    '',
    curl('/v1/ticker?symbol=BTCCZK'),
    curl('/v1/tickers'),
    curl('/v1/status'),
    '',
    '',
  ].join('\n');
}
