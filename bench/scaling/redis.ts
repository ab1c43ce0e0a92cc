import { checkRedis, onConnection } from '../../src/cluster/redis-check.ts';
import { systemClock, systemRandomness } from '../../src/ground/clock.ts';
import { eventually } from '../../test/support/eventually.ts';
import { fixedPort } from '../../test/support/fixed-port.ts';
import { findProgram, MeasuredProcess } from '../processes.ts';
import type { Scope } from '../scope.ts';

const command = process.env.MDAPI_REDIS_BIN ?? findProgram('redis-server') ?? findProgram('valkey-server');

/** Why nothing is measured with Redis, where that is so. */
export const redisMissing = command === undefined ? 'no redis-server or valkey-server is installed' : undefined;

export interface Redis {
  readonly url: string;
  readonly process: MeasuredProcess;
}

/** A Redis or Valkey server without persistence, on the core that is not measured; `undefined` where none is installed. */
export async function startRedis(scope: Scope): Promise<Redis | undefined> {
  if (command === undefined) return undefined;
  const port = await fixedPort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = scope.own(new MeasuredProcess({ core: 'others', command, args: [...args, '--dir', scope.directory] }));
  const address = { host: '127.0.0.1', port, tls: false, user: undefined, password: undefined, database: 0 };
  const parts = { clock: systemClock, randomness: systemRandomness };
  const answers = () =>
    onConnection(address, parts, AbortSignal.timeout(5_000), (call) => checkRedis(call, systemClock.now())).then(
      () => true,
      () => false,
    );
  await eventually('Redis answers', answers);
  return { url: `redis://127.0.0.1:${port}`, process: child };
}
