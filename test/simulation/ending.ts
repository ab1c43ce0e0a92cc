import { Client, type Witnessed } from './clients.ts';
import { epochMs } from './scheduler.ts';
import type { Simulation } from './simulation.ts';

/** After the last fault everything is well again by then. */
const mendedWithinMs = 150_000;

/** Ends every fault, as the last act of whoever looks after the service, and looks whether all is well then. */
export async function end(simulation: Simulation): Promise<void> {
  const { world } = simulation;
  await simulation.inLane(simulation.operator.lane, () => mend(simulation));
  await world.scheduler.runTo(world.nowMs + mendedWithinMs);
  await looksWell(simulation);
}

async function mend(simulation: Simulation): Promise<void> {
  for (const exchange of simulation.exchanges) {
    for (const symbol of simulation.markets)
      if (exchange.deceitOf(symbol)) simulation.deceive(exchange, symbol, undefined);
    await exchange.mend();
  }
  simulation.troubles.operatedNothing();
  for (const symbol of simulation.symbols) simulation.troubles.absent(symbol, false);
  await simulation.banks.mend();
  simulation.redis.restart();
  simulation.redis.slow(0);
  simulation.redis.split([]);
  simulation.redis.part([]);
  simulation.engine?.mend();
  simulation.clientReads(Number.POSITIVE_INFINITY);
  Object.assign(simulation.world.disk, { isFull: false, syncMs: 1 });
  simulation.troubleStore(undefined);
  simulation.reloadSources(simulation.exchanges.length);
  for (const process of simulation.processes) {
    process.thaw();
    // One that cannot go back starts no more.
    process.isFormer = false;
    if (process.isDrifting) simulation.drift(process, 1);
    if (process.offMs !== 0) simulation.setClock(process, 0);
    process.start();
  }
  await simulation.operator.operate(async ({ markets }) => {
    for (const { symbol } of await markets.list()) {
      await markets.setOperatorPaused(symbol, false).catch(() => {});
      await markets.setHeld(symbol, undefined).catch(() => {});
    }
  });
  simulation.world.note('fault', 'all are over');
}

async function looksWell(simulation: Simulation): Promise<void> {
  const { world, findings } = simulation;
  const count = await offered(simulation);
  const seen = new Map<string, Witnessed>();
  const key = simulation.operator.keys.at(-1)!;
  const client = new Client(world, 'last', key, simulation.serving, (answer) => {
    seen.set(`${answer.by} ${answer.target}`, answer);
    simulation.saw(answer);
  });
  for (const process of simulation.serving)
    for (const target of ['/v1/status', '/v1/tickers']) client.ask(target, [process]);
  await world.scheduler.runTo(world.nowMs + 5_000);
  for (const { name } of simulation.serving) {
    const [status, tickers] = ['/v1/status', '/v1/tickers'].map(
      (target) => seen.get(`${name} ${target}`)?.body ?? '{}',
    );
    const state = JSON.parse(status!).status;
    findings.check('well again', state === 'operational', () => `${name} says ${state}`);
    const priced = JSON.parse(tickers!).tickers?.length;
    findings.check('well again', priced === 2 * count, () => `${name} has ${priced} tickers`);
  }
}

/** How many markets are not delisted. Those that are have to have been gone when they were. */
async function offered(simulation: Simulation): Promise<number> {
  const { operator, troubles, findings, world } = simulation;
  let count = 0;
  const look = operator.operate(async ({ markets, audit }) => {
    const delisted = (await markets.list()).filter(({ delistedAt }) => delistedAt !== undefined);
    count = simulation.symbols.filter((symbol) => !delisted.some((market) => market.symbol === symbol)).length;
    // A former release does not choose by action.
    const { items } = await audit.page({ limit: 100, action: 'market.delist' });
    for (const { at, subject } of items.filter(({ action }) => action === 'market.delist'))
      findings.check(
        'never delisted',
        troubles.isGone(subject.id, at - epochMs),
        () => `${subject.id} was delisted at ${at - epochMs}`,
      );
  });
  await simulation.inLane(world.scheduler.lane('auditor'), () => look.then(() => {}));
  return count;
}
