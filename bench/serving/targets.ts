import { startExchange } from '../fixture/exchange.ts';
import { install, servedTickers, startService } from '../fixture/service.ts';
import { type StillService, startStillService } from '../fixture/still-service.ts';
import { type MeasuredProcess, startNode } from '../processes.ts';
import type { Scope } from '../scope.ts';
import { type Recording, record, saveRecording } from './answers.ts';
import { startNginx } from './nginx.ts';

export type TargetName = 'bare' | 'nginx' | 'service' | 'live' | 'usual';

/** A server that is compared. */
export interface Target {
  readonly name: TargetName;
  readonly process: MeasuredProcess;
  readonly identity: string;
  readonly gzip: string;
  readonly keys: readonly string[];
  /** Its bodies are the recorded ones. */
  readonly still: boolean;
  /** Whatever it does unasked stops while others are measured. */
  pause(): void;
  resume(): void;
}

/** How many updates a second the live service is fed with. */
export const liveUpdatesPerSecond = 1_000;

export interface Comparison {
  readonly targets: readonly Target[];
  readonly recording: Recording;
}

/** Starts everything that is compared, serving the same this many markets. */
export async function startTargets(scope: Scope, markets: number): Promise<Comparison> {
  scope.progress(`the service learns ${markets} markets`);
  const still = await startStillService(scope, markets);
  const recording = await record(still);
  const file = saveRecording(scope, recording);
  scope.progress('the other servers start');
  const targets = [await nodeTarget(scope, 'bare', file, recording), serviceTarget(still)];
  const nginx = await startNginx(scope, recording);
  if (nginx !== undefined) targets.push(quiet('nginx', nginx.process, nginx.url, nginx.url, recording.keys));
  targets.push(await nodeTarget(scope, 'usual', file, recording), await liveTarget(scope, markets));
  return { targets, recording };
}

function quiet(
  name: TargetName,
  process: MeasuredProcess,
  identity: string,
  gzip: string,
  keys: readonly string[],
): Target {
  return { name, process, identity, gzip, keys, still: true, pause() {}, resume() {} };
}

function serviceTarget({ service, installation }: StillService): Target {
  return quiet('service', service.process, service.baseUrl, service.baseUrl, installation.keys);
}

async function nodeTarget(scope: Scope, name: 'bare' | 'usual', file: string, { keys }: Recording): Promise<Target> {
  const program = new URL(`./${name}-server.ts`, import.meta.url).pathname;
  const child = scope.own(startNode({ core: 'measured', args: [program, file], env: { NODE_ENV: 'production' } }));
  const { identity, gzip } = JSON.parse(await child.firstLine()) as { identity: string; gzip: string };
  return quiet(name, child, identity, gzip, keys);
}

/** The service with a live feed; both it and its exchange stand still while others are measured. */
async function liveTarget(scope: Scope, markets: number): Promise<Target> {
  const exchange = await startExchange(scope, markets / 2, liveUpdatesPerSecond);
  const installation = await install(scope, 'live', exchange);
  const service = await startService(scope, installation);
  await servedTickers(service, installation.keys[0]!, markets);
  const processes = [exchange.process, service.process];
  return {
    ...quiet('live', service.process, service.baseUrl, service.baseUrl, installation.keys),
    still: false,
    pause() {
      for (const child of processes) child.pause();
    },
    resume() {
      for (const child of processes) child.resume();
    },
  };
}
