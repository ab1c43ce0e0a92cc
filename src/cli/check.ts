import { existsSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ExchangeConnector } from '../feed/connector.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './failure.ts';
import { withTimeout } from './private-listener.ts';
import { configurationFor } from './store-command.ts';
import { paintFor, table } from './style.ts';

export const check: Command = {
  name: 'check',
  summary: 'check the configuration, the database, the upstream and the rate source',
  details: ['Shows what works and what does not, and changes nothing. Exits with 1 when something does not work.'],
  examples: [
    { line: 'mdapi check --config /etc/mdapi/mdapi.yaml', note: 'before the first start, or when something is wrong' },
  ],
  async run(input, context) {
    const { configuration, file } = await configurationFor(input, context);
    const findings = [
      { name: 'configuration', works: true, detail: file ?? 'defaults and environment, no file' },
      await checkDatabase(configuration, context.clock),
      ...(await checkRedis(configuration, context)),
      ...(await checkUpstream(configuration, context.clock)),
    ];
    const works = findings.every((finding) => finding.works);
    const paint = paintFor(context);
    const rows = findings.map(({ name, works, detail }) => [
      name,
      works ? { text: 'works', paint: paint.good } : { text: 'does not work', paint: paint.bad },
      detail,
    ]);
    return {
      json: { works, findings },
      text: table(['CHECK', 'RESULT', 'DETAIL'], rows, paint, ''),
      exitCode: works ? exitCodes.ok : exitCodes.failure,
    };
  },
};

/** The result of one check. */
interface Finding {
  readonly name: string;
  readonly works: boolean;
  /** What was found, or why it does not work. Holds no secret. */
  readonly detail: string;
}

const timeoutMs = 20_000;
const skippedShown = 5;

function checkDatabase({ store }: Configuration, clock: Clock): Promise<Finding> {
  return attempt('database', async () => {
    if (store.kind === 'sqlite' && !existsSync(store.path))
      return `${store.path} does not exist yet; the server creates it`;
    const { inspectStore } = await import('../store/open-database.ts');
    const { name, state, accounts, keys, markets } = await inspectStore(store.url, clock);
    if (state === 'empty') return `${name}: empty; the server creates its tables`;
    const age = state === 'older' ? '; of an older version, which the server migrates' : '';
    return `${name}: ${accounts} accounts, ${keys} keys, ${markets} markets${age}`;
  });
}

async function checkRedis({ redis }: Configuration, { clock, randomness }: Context): Promise<readonly Finding[]> {
  if (redis === undefined) return [];
  const { checkRedis: tryRedis } = await import('../cluster/redis-check.ts');
  return [await attemptInTime('Redis', clock, (signal) => tryRedis(redis, clock, randomness, signal))];
}

async function checkUpstream(configuration: Configuration, clock: Clock): Promise<readonly Finding[]> {
  const { connectorFor, rateSource } = await import('../wiring/feed.ts');
  const { judgeRate } = await import('../feed/rates/rate-keeper.ts');
  const connector = connectorFor(configuration, clock);
  const findings = [
    await attemptInTime('upstream REST', clock, async (signal) => {
      const { markets, skipped } = await connector.loadCatalogue(signal);
      const reasons = skipped.slice(0, skippedShown).map(({ name, reason }) => `${name} (${reason})`);
      const more = skipped.length > skippedShown ? ` and ${skipped.length - skippedShown} more` : '';
      return `${markets.length} markets${reasons.length === 0 ? '' : `; not offered: ${reasons.join(', ')}${more}`}`;
    }),
    await attemptInTime('upstream live', clock, (signal) => openOnce(connector, signal)),
  ];
  for (const [quote, { via }] of configuration.pricing.converted) {
    const source = rateSource(configuration.rates, connector, clock, via, quote);
    const finding = await attemptInTime(`rate ${via}/${quote}`, clock, async (signal) => {
      const rate = await source.load(signal);
      judgeRate(rate, clock.now());
      return `${rate.mid} from ${source.id}${rate.fixingDate === undefined ? '' : `, fixing of ${rate.fixingDate}`}`;
    });
    findings.push(finding);
  }
  return findings;
}

/** Opens the live connection, waits for its catalogue, the largest frame of all, and closes it. */
function openOnce(connector: ExchangeConnector, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = connector.openLive((event) => {
      if (event.type === 'closed') reject(new Error(event.detail));
      if (event.type !== 'instruments') return;
      connection.terminate();
      resolve('connected');
    });
    signal.addEventListener('abort', () => {
      connection.terminate();
      reject(new Error('nothing was received in time'));
    });
  });
}

/** Each check has its own timeout, so that one that hangs does not fail the others. */
function attemptInTime(name: string, clock: Clock, work: (signal: AbortSignal) => Promise<string>): Promise<Finding> {
  return attempt(name, () => withTimeout(clock, timeoutMs, work));
}

async function attempt(name: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { name, works: true, detail: await work() };
  } catch (error) {
    return { name, works: false, detail: error instanceof Error ? error.message : 'failed' };
  }
}
