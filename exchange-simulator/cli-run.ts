import { parseArgs } from 'node:util';
import { Failure, UsageError, wholeNumber } from './cli-usage.ts';
import { type DialectName, dialectNames } from './dialects.ts';
import { type ExchangeSimulator, type ExchangeSimulatorOptions, startExchangeSimulator } from './simulator.ts';

const portMax = 65_535;

/** Runs until SIGINT or SIGTERM, or until the parent's pipe closes. Throws `Failure` when a port is taken. */
export async function run(args: readonly string[], print: (text: string) => void): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      dialect: { type: 'string', multiple: true, default: ['kraken'] },
      port: { type: 'string' },
      'control-port': { type: 'string' },
      'rates-port': { type: 'string' },
      host: { type: 'string' },
      updates: { type: 'string' },
      markets: { type: 'string' },
      quotes: { type: 'string' },
      seed: { type: 'string' },
      json: { type: 'boolean', default: false },
      'with-parent': { type: 'boolean', default: false },
    },
  });
  const simulators = await startAll(
    values.dialect.flatMap((names) => names.split(',').map(dialectNamed)),
    present({
      port: wholeNumber('port', values.port, 0, portMax),
      controlPort: wholeNumber('control-port', values['control-port'], 0, portMax),
      ratesPort: wholeNumber('rates-port', values['rates-port'], 0, portMax),
      updatesPerSecond: wholeNumber('updates', values.updates, 0, 100_000),
      markets: wholeNumber('markets', values.markets, 1, 20_000),
      seed: wholeNumber('seed', values.seed, 0, 4_294_967_295),
      host: values.host,
      quotes: values.quotes?.split(','),
    }),
  );
  print(values.json ? JSON.stringify(addresses(simulators)) : introduction(simulators));
  stopOnSignal(simulators, values['with-parent']);
}

function dialectNamed(name: string): DialectName {
  const known = dialectNames.find((dialect) => dialect === name);
  if (known === undefined) throw new UsageError(`--dialect takes ${dialectNames.join(', ')}, not "${name}"`);
  return known;
}

/** One exchange for each dialect, a little apart in their prices, on consecutive ports. */
async function startAll(
  names: readonly DialectName[],
  options: ExchangeSimulatorOptions,
): Promise<readonly ExchangeSimulator[]> {
  const simulators: ExchangeSimulator[] = [];
  const portFor = (port: number | undefined, index: number) => (port ? port + index : 0);
  for (const [index, dialect] of names.entries()) {
    const port = portFor(options.port, index);
    const controlPort = portFor(options.controlPort, index);
    const ratesPort = index === 0 ? (options.ratesPort ?? 0) : 0;
    try {
      simulators.push(await start({ ...options, dialect, deviation: index, port, controlPort, ratesPort }));
    } catch (error) {
      for (const simulator of simulators) await simulator.stop();
      throw error;
    }
  }
  return simulators;
}

async function start(options: ExchangeSimulatorOptions): Promise<ExchangeSimulator> {
  try {
    return await startExchangeSimulator(options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const where = error instanceof Error && 'port' in error ? `port ${error.port}` : 'a port';
    if (code === 'EADDRINUSE') throw new Failure(`${where} is in use; choose another one, or 0 for any free one`);
    if (code === 'EACCES') throw new Failure(`this user may not listen on ${where}`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Failure(`this machine has no address ${options.host}`);
    throw error;
  }
}

function stopOnSignal(simulators: readonly ExchangeSimulator[], withParent: boolean): void {
  const stop = () => {
    process.stdin.destroy();
    for (const simulator of simulators) void simulator.stop();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  if (!withParent) return;
  process.stdin.on('error', stop).once('close', stop).once('end', stop).resume();
}

/** Those of the first exchange, with its rate sources, and those of each by its dialect. */
function addresses(simulators: readonly ExchangeSimulator[]) {
  const { restUrl, wsUrl, cnbUrl, ecbUrl, jsonRateUrl, controlUrl } = simulators[0]!;
  const dialects = Object.fromEntries(
    simulators.map((simulator) => [
      simulator.dialect,
      { restUrl: simulator.restUrl, wsUrl: simulator.wsUrl, controlUrl: simulator.controlUrl },
    ]),
  );
  return { restUrl, wsUrl, cnbUrl, ecbUrl, jsonRateUrl, controlUrl, pid: process.pid, dialects };
}

function introduction(simulators: readonly ExchangeSimulator[]): string {
  const [first] = simulators;
  const { cnbUrl, ecbUrl, jsonRateUrl, controlUrl } = first!;
  return [
    `Simulated exchange with ${first!.state().markets} markets. Press Ctrl-C to stop.`,
    '',
    ...simulators.flatMap(({ dialect, restUrl, wsUrl, controlUrl: control }) => [
      `  ${dialect}`,
      `    REST       ${restUrl}`,
      `    WebSocket  ${wsUrl}`,
      `    control    ${control}`,
    ]),
    '  rate sources',
    `    CNB        ${cnbUrl}`,
    `    ECB        ${ecbUrl}`,
    `    JSON       ${jsonRateUrl}`,
    '',
    'Rehearse an outage:',
    `  npm run simulator -- fault freeze --for 30s --control ${controlUrl}`,
    'List all faults: npm run simulator -- faults',
  ].join('\n');
}

/** Leaves out what was not given, so that the defaults hold. */
function present<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
