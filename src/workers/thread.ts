import { parentPort, workerData } from 'node:worker_threads';
import { BreachLog } from '../access/breach-log.ts';
import { ClientAddresses } from '../access/client-address.ts';
import { KeyReader } from '../access/key-reader.ts';
import { MemoryLimits } from '../access/limits.ts';
import { Board } from '../board/board.ts';
import { ServiceBoard } from '../board/service-board.ts';
import { systemClock as clock, systemRandomness as randomness } from '../clock.ts';
import { EventLoopDelay } from '../http/event-loop-delay.ts';
import type { PublicListener } from '../http/public-listener.ts';
import type { MarketEvent } from '../market/market-event.ts';
import { FeedStatus } from '../market/service-status.ts';
import { bookFor } from '../wiring/book.ts';
import { MarketReplica } from '../wiring/market-replication.ts';
import { createPublicListener } from '../wiring/public-listener.ts';
import { sharedLimits } from '../wiring/shared-limits.ts';
import { failureReport } from './failure-report.ts';
import { Follower } from './follower.ts';
import type { LogLevel, News, Order, Report, SharedGrowth, ThreadData } from './messages.ts';

const figuresEveryMs = 1_000;

const data = workerData as ThreadData;
const { configuration } = data;
const { server } = configuration;
const report = (message: Report) => parentPort!.postMessage(message);

const book = bookFor(configuration);
const feedStatus = new FeedStatus();
const service = new ServiceBoard(feedStatus, clock);
const replica = new MarketReplica({ book, feedStatus, service }, clock);
applyAll(data.news.state);

const keys = new KeyReader(data.keys);
const limits = new MemoryLimits(data.limits, configuration.limits, data.owner);
const logger = {
  debug: () => {},
  info: (fields: object, message: string) => log('info', fields, message),
  warn: (fields: object, message: string) => log('warn', fields, message),
  error: (fields: object, message: string) => log('error', fields, message),
};
const shared = sharedLimits(configuration, { clock, randomness, log: logger, memory: limits, keys });
const breaches = new BreachLog(keys);
const delay = new EventLoopDelay(clock);
const follower = new Follower(data.news, apply);
let listener: PublicListener | undefined;

function apply({ keys: grown, market, isDraining }: News): void {
  for (const growth of grown) grow(growth);
  if (market !== undefined) applyAll(market);
  if (isDraining) listener?.drain();
}

function applyAll(market: string): void {
  for (const event of JSON.parse(market) as MarketEvent[]) replica.apply(event);
}

function grow(growth: SharedGrowth): void {
  if (growth.kind === 'segment') limits.adoptCounterSegment(growth.index, growth.counters!);
  if (growth.kind === 'slot') breaches.forgetSlot(growth.slot);
  keys.grow(growth);
}

function log(level: LogLevel, fields: object, message: string): void {
  const { err, ...rest } = fields as { err?: unknown };
  report({ kind: 'log', level, message, fields: err === undefined ? rest : { ...rest, err: errorFields(err) } });
}

/** As the log writes an error: an `Error` itself would lose its code on the way to the hub. */
function errorFields(error: unknown): object {
  const { message, stack, fields } = failureReport(error);
  return { type: error instanceof Error ? error.name : typeof error, message, stack, ...fields };
}

function createListener(): PublicListener {
  return createPublicListener(server, {
    version: data.version,
    tls: data.tls,
    sharedPort: data.port,
    gate: { keys, limits: shared ?? limits, breaches },
    addresses: new ClientAddresses(server.trustedProxies),
    sources: { board: new Board(book), service },
    catchUp: () => follower.catchUp(),
    clock,
    randomness,
    log: logger,
    eventLoopDelayMs: () => delay.p99Ms(),
  });
}

async function start(): Promise<void> {
  const made = createListener();
  listener = made;
  const tellFigures = () =>
    report({
      kind: 'figures',
      counts: made.counts.take(),
      breaches: breaches.drain(clock.now()),
      connections: made.connectionFigures(),
      eventLoopDelayMs: delay.p99Ms(),
      sharedLimits: shared?.figures(),
    });
  const close = async (deadlineMs: number) => {
    await made.close(deadlineMs);
    shared?.stop();
    tellFigures();
    report({ kind: 'closed' });
  };
  parentPort!.on('message', (order: Order) => {
    if (order.kind === 'renewCertificate') made.renewCertificate(order.certificate);
    else void close(order.deadlineMs);
  });
  shared?.start();
  const { port } = await made.listen();
  delay.restart();
  clock.every(figuresEveryMs, tellFigures);
  report({ kind: 'listening', port });
}

try {
  await start();
} catch (error) {
  report({ kind: 'failed', error: failureReport(error) });
}
