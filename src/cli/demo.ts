import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateToken, tokenDigest } from '../access/operator-token.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { type Randomness, sleep } from '../ground/clock.ts';
import { version } from '../ground/version.ts';
import type { Service } from '../main.ts';
import { issueKey } from '../operator/key.ts';
import type { Store } from '../store/store.ts';
import { type CommonValues, type Context, command, type Output } from './command.ts';
import { CommandError, exitCodes } from './failure.ts';
import { portFlags, startFor, untilAborted } from './serve.ts';
import { actorOf, configurationFor } from './store-command.ts';
import { paintFor } from './style.ts';

const demo = command({
  name: 'demo',
  summary: 'run the server on a stand-in exchange, with a fresh key (npm start)',
  details: [
    'Needs nothing, and prints ready curl lines, the address of the console and a token for it.',
    'Other commands work on it with --config .demo/mdapi.yaml.',
  ],
  options: {
    sources: { value: 'A,B', summary: 'exchanges to stand in for, in order of preference (default: kraken)' },
    port: { value: 'PORT', summary: 'port of the public listener (default: 8080)' },
    dir: { value: 'DIR', summary: 'where to keep the configuration and database (default: .demo)' },
  },
  examples: {
    'npm start': 'the demo on http://127.0.0.1:8080',
    'npm start -- --sources kraken,bitvavo,coinbase': 'three exchanges that quote the same market',
    'npm start -- --port 9000 --json': 'on another port; prints one JSON object',
  },
  async run({ options }, context) {
    const directory = resolve(context.cwd, options.dir ?? '.demo');
    const exchange = await startStandInExchange(context.stderr, options.sources ?? 'kraken');
    try {
      const configFile = await writeConfiguration(directory, exchange, await adminPort());
      const chosen = { config: configFile, store: options.store };
      const { configuration } = await configurationFor(chosen, context, portFlags(options.port));
      await makeClientPackages(context.stderr);
      const installs = await clientInstalls();
      await serveDemo(configuration, options, context, (service, secrets) => {
        const addresses: Addresses = { ...service, ...secrets, exchange, configFile, installs };
        const { stdout } = context;
        stdout.write(options.json ? `${JSON.stringify(demoJson(addresses))}\n` : demoText(addresses, context));
      });
      return exitCodes.ok;
    } finally {
      await exchange.stop();
    }
  },
});

export const commands = [demo];

/** Serves until the process is stopped; `ready` runs once there is a price. */
async function serveDemo(
  configuration: Configuration,
  options: Pick<CommonValues, 'as'>,
  context: Context,
  ready: (service: Service, secrets: Secrets) => void,
): Promise<void> {
  const service = await startFor(context, configuration);
  try {
    const secrets = await createSecrets(configuration.store.url, options, context);
    if (await hasFirstPrice(service.adminUrl, context)) ready(service, secrets);
    await untilAborted(context.signal);
  } finally {
    await service.stop();
  }
}

const packagesTool = fileURLToPath(new URL('../../tools/client-packages/make.ts', import.meta.url));

/**
 * Makes what clients install from `/clients`, in a checkout, where it is not made of these sources already. A package
 * of this program has it inside. The demo goes on without it.
 */
async function makeClientPackages(stderr: Output): Promise<void> {
  if (!existsSync(packagesTool)) return;
  await promisify(execFile)(process.execPath, [packagesTool]).catch(({ message }: Error) => {
    stderr.write(`The packages of the clients could not be made, so /clients has none: ${message}\n`);
  });
}

/** How the clients are installed, each with the path of its package; none where they were not made. */
async function clientInstalls(): Promise<readonly ((baseUrl: string) => string)[]> {
  const { clientRoutes, readClientPackages } = await import('../portal/client-packages.ts');
  if (readClientPackages(version) === undefined) return [];
  const { typescript, python } = clientRoutes(version);
  return [(baseUrl) => `npm install ${baseUrl}${typescript}`, (baseUrl) => `pip install ${baseUrl}${python}`];
}

/**
 * Writes the configuration of the demo, with the addresses of this run's stand-in exchange, and returns its file.
 * Throws `CommandError` when the directory cannot be written.
 */
async function writeConfiguration(
  directory: string,
  { dialects, cnbUrl, ecbUrl }: StandInExchange,
  port: number,
): Promise<string> {
  const { stringify } = await import('yaml');
  const file = join(directory, 'mdapi.yaml');
  const configuration = {
    admin: { port },
    store: 'sqlite:./mdapi.sqlite',
    history: { url: 'sqlite:./history.sqlite' },
    sources: Object.entries(dialects).map(([id, { restUrl, wsUrl }]) => ({ id, urls: { rest: restUrl, ws: wsUrl } })),
    rates: { source: 'cnb', url: cnbUrl, compare: { source: 'ecb', url: ecbUrl } },
    logs: { level: 'error' },
  };
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, `# Each start of the demo writes this file again.\n${stringify(configuration)}`);
  } catch (error) {
    throw directoryUnwritable(file, (error as NodeJS.ErrnoException).code);
  }
  return file;
}

function directoryUnwritable(file: string, code: string | undefined): CommandError {
  const remedy = 'Start in a directory you may write to, or name one with --dir.';
  return new CommandError(exitCodes.failure, 'directory_unwritable', `Cannot write ${file} (${code}). ${remedy}`);
}

const usualPort = 9090;

/** A port that was free a moment ago: the usual one unless another program, such as Prometheus, has it. */
async function adminPort(): Promise<number> {
  for (const port of [usualPort, 0]) {
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    const { port: free } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    return free;
  }
  return usualPort;
}

const demoEmail = 'demo@example.com';
const demoName = 'demo';

type Secrets = Awaited<ReturnType<typeof createSecrets>>;

/** Creates a key and an operator token, and revokes those of earlier starts. */
async function createSecrets(url: string, options: Pick<CommonValues, 'as'>, context: Context) {
  const { openStore } = await import('../store/store.ts');
  const { clock, randomness } = context;
  const store = await openStore({ url, clock, randomness, actor: actorOf(options, context) });
  try {
    return { key: await createKey(store, context), operatorToken: await createToken(store, randomness) };
  } finally {
    await store.close();
  }
}

async function createKey({ accounts, keys }: Store, context: Context) {
  const known = (await accounts.list()).find(({ email }) => email === demoEmail);
  const { id: accountId } = known ?? (await accounts.create({ email: demoEmail }));
  for (const { id, status } of await keys.list({ accountId })) {
    if (status !== 'revoked') await keys.setStatus(id, 'revoked');
  }
  return (await issueKey(keys, { accountId, label: demoName }, context)).text;
}

async function createToken({ tokens }: Store, randomness: Randomness) {
  for (const { id, name, revokedAt } of await tokens.list()) {
    if (name === demoName && revokedAt === undefined) await tokens.revoke(id);
  }
  const token = generateToken('operator', randomness);
  await tokens.insert({ role: 'admin', digest: tokenDigest(token), name: demoName });
  return token;
}

const pollEveryMs = 20;
const priceTimeoutMs = 30_000;

/** Waits for the first price; false when the process is stopped before. Throws `CommandError` after 30 s. */
async function hasFirstPrice(adminUrl: string, { clock, signal }: Context): Promise<boolean> {
  const startedMs = clock.monotonicMs();
  while (clock.monotonicMs() - startedMs < priceTimeoutMs) {
    if (signal.aborted) return false;
    const answer = await fetch(`${adminUrl}/prices/BTCCZK`);
    await answer.arrayBuffer();
    if (answer.ok) return true;
    await sleep(clock, pollEveryMs, signal);
  }
  const message = 'The stand-in exchange gave no price in 30 s; see above.';
  throw new CommandError(exitCodes.failure, 'exchange_silent', message);
}

/** All that a newcomer needs to try the demo. */
interface Addresses extends Secrets, Pick<Service, 'baseUrl' | 'adminUrl'> {
  readonly exchange: StandInExchange;
  readonly configFile: string;
  readonly installs: Awaited<ReturnType<typeof clientInstalls>>;
}

function demoJson({ baseUrl, adminUrl, exchange, configFile, key, operatorToken }: Addresses) {
  const controls = Object.entries(exchange.dialects).map(([id, { controlUrl }]) => [id, controlUrl] as const);
  return {
    baseUrl,
    key,
    referenceUrl: `${baseUrl}/docs`,
    openApiUrl: `${baseUrl}/openapi/v1.json`,
    adminUrl,
    consoleUrl: `${adminUrl}/console/`,
    operatorToken,
    exchangeControlUrl: controls[0]![1],
    exchangeControlUrls: Object.fromEntries(controls),
    configFile,
  };
}

/** How its reader starts a command: from a package, which is JavaScript, or in a checkout. */
const mdapi = import.meta.url.endsWith('.js') ? 'mdapi' : 'npm run mdapi --';

function demoText(addresses: Addresses, context: Context): string {
  const { baseUrl, adminUrl, key, operatorToken, exchange, installs } = addresses;
  const { heading, faint } = paintFor(context);
  const controls = Object.entries(exchange.dialects).map(
    ([id, { controlUrl }]) => `  Exchange control   ${controlUrl}  (${id}: rehearse an outage)`,
  );
  const configFile = relative(context.cwd, addresses.configFile);
  return `${heading(`Final client prices of a stand-in exchange, on ${baseUrl}`)}

  API key            ${key}
  Reference          ${baseUrl}/docs
  Console            ${adminUrl}/console/
  Operator token     ${operatorToken}
  Private listener   ${adminUrl}  (/livez /readyz /metrics)
${controls.join('\n')}

${heading('Try it')}
  curl -H 'X-EXCHANGE-APIKEY: ${key}' '${baseUrl}/v1/ticker?symbol=BTCCZK'
  curl -H 'X-EXCHANGE-APIKEY: ${key}' '${baseUrl}/v1/tickers'
  curl -H 'X-EXCHANGE-APIKEY: ${key}' '${baseUrl}/v1/status'
${installs.map((lineAt) => `  ${lineAt(baseUrl)}\n`).join('')}
${heading('Operate it')}
  ${mdapi} markets list --config ${configFile}
  ${mdapi} price BTCCZK --config ${configFile}

${faint('Ctrl-C stops it.')}
`;
}

/** Stand-in exchanges in a process of their own. */
interface StandInExchange {
  readonly cnbUrl: string;
  readonly ecbUrl: string;
  /** Where each is reached, and where its faults are controlled: by dialect, in the order asked for. */
  readonly dialects: Readonly<Record<string, Readonly<Record<'restUrl' | 'wsUrl' | 'controlUrl', string>>>>;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('../../exchange-simulator/cli.ts', import.meta.url));

/** Starts one for each dialect and waits until they listen. They exit with this process, even when it is killed. */
export async function startStandInExchange(stderr: Output, dialects = 'kraken'): Promise<StandInExchange> {
  const child = spawn(process.execPath, [program, '--json', '--with-parent', '--dialect', dialects], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stderr.on('data', (text: Buffer) => stderr.write(text.toString()));
  const exited = once(child, 'exit');
  const firstLine = once(createInterface({ input: child.stdout }), 'line');
  const line = await Promise.race([firstLine, exited.then(() => undefined)]);
  if (line === undefined) {
    const message = 'The stand-in exchange did not start; see above.';
    throw new CommandError(exitCodes.failure, 'exchange_not_started', message);
  }
  const addresses = JSON.parse(line[0] as string) as Omit<StandInExchange, 'stop'>;
  return {
    ...addresses,
    async stop() {
      child.stdin.end();
      child.kill('SIGTERM');
      await exited;
    },
  };
}
