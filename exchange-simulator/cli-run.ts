import { parseArgs } from 'node:util';
import { Failure, UsageError, wholeNumber } from './cli-arguments.ts';
import { type ExchangeSimulator, type ExchangeSimulatorOptions, startExchangeSimulator } from './simulator.ts';

const portMax = 65_535;

/** Runs until SIGINT or SIGTERM, or until the parent's pipe closes. Throws `Failure` when a port is taken. */
export async function run(args: readonly string[], print: (text: string) => void): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      'control-port': { type: 'string' },
      'rates-port': { type: 'string' },
      host: { type: 'string' },
      updates: { type: 'string' },
      markets: { type: 'string' },
      quotes: { type: 'string' },
      seed: { type: 'string' },
      era: { type: 'string' },
      json: { type: 'boolean', default: false },
      'with-parent': { type: 'boolean', default: false },
    },
  });
  if (values.era !== undefined && values.era !== '2021' && values.era !== 'today') {
    throw new UsageError(`--era takes 2021 or today, not "${values.era}"`);
  }
  const simulator = await start(
    present({
      port: wholeNumber('port', values.port, 0, portMax),
      controlPort: wholeNumber('control-port', values['control-port'], 0, portMax),
      ratesPort: wholeNumber('rates-port', values['rates-port'], 0, portMax),
      updatesPerSecond: wholeNumber('updates', values.updates, 0, 100_000),
      markets: wholeNumber('markets', values.markets, 1, 20_000),
      seed: wholeNumber('seed', values.seed, 0, 4_294_967_295),
      host: values.host,
      quotes: values.quotes?.split(','),
      catalogueEra: values.era,
    }),
  );
  print(values.json ? JSON.stringify({ ...addresses(simulator), pid: process.pid }) : introduction(simulator));
  stopOnSignal(simulator, values['with-parent']);
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

function stopOnSignal(simulator: ExchangeSimulator, withParent: boolean): void {
  const stop = () => {
    process.stdin.destroy();
    void simulator.stop();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  if (!withParent) return;
  process.stdin.on('error', stop).once('close', stop).once('end', stop).resume();
}

function addresses(simulator: ExchangeSimulator) {
  const { restUrl, wsUrl, cnbUrl, ecbUrl, jsonRateUrl, controlUrl } = simulator;
  return { restUrl, wsUrl, cnbUrl, ecbUrl, jsonRateUrl, controlUrl };
}

function introduction(simulator: ExchangeSimulator): string {
  const { restUrl, wsUrl, cnbUrl, ecbUrl, jsonRateUrl, controlUrl } = simulator;
  return [
    `Simulated exchange with ${simulator.state().markets} markets. Press Ctrl-C to stop.`,
    '',
    `  REST       ${restUrl}/0/public/Ticker?pair=XBTEUR`,
    `  WebSocket  ${wsUrl}`,
    `  CNB        ${cnbUrl}`,
    `  ECB        ${ecbUrl}`,
    `  JSON rate  ${jsonRateUrl}`,
    `  control    ${controlUrl}`,
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
