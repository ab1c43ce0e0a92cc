import type { Clock } from '../clock.ts';
import { patience } from './patience.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { Caller } from './redis-lease.ts';

/** A caller whose every promise settles: a server that is silent for `patienceMs` is given up, with its connection. */
export function patientCaller(connection: RedisConnection, clock: Clock, patienceMs: number): Caller {
  return (command) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = patience(clock, patienceMs, () => {
      const reason = `no answer within ${patienceMs} ms`;
      connection.reopen(reason);
      reject(new Error(reason));
    });
    connection.call(command).then(resolve, reject);
    return promise.finally(() => timer.cancel());
  };
}
