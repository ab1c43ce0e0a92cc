import type { Clock, Timer } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { MetricGroup } from '../ground/metric.ts';
import { quickCheck } from './sqlite/quick-check.ts';

/** PostgreSQL has no path. */
type StoreLocation = { readonly kind: 'sqlite'; readonly path: string } | { readonly kind: 'postgres' };

const everyMs = 86_400_000;

/** Has SQLite look through its file, at the start and once a day. PostgreSQL looks after itself. */
export function storeCheck(store: StoreLocation, clock: Pick<Clock, 'every'>, log: Log) {
  let timer: Timer | undefined;
  let looking: Promise<void> | undefined;
  const stopped = new AbortController();
  let result: { readonly finding: string | undefined } | undefined;
  const look = async (path: string) => {
    const finding = await quickCheck(path, stopped.signal).catch((error: Error) => error.message);
    if (stopped.signal.aborted) return;
    result = { finding };
    if (finding === undefined) log.info({}, 'the database file is whole');
    else log.error({ finding }, 'the database file is damaged: restore a backup');
  };
  return {
    /** Gives the result of the latest look; `undefined` before the first, and where none is made. */
    result: () => result,
    start() {
      if (store.kind !== 'sqlite' || store.path === ':memory:') return;
      const { path } = store;
      const lookNow = () => {
        looking = look(path);
      };
      timer = clock.every(everyMs, lookNow);
      lookNow();
    },
    /** Ends the look that is under way: whoever stopped the service may move or remove the file. */
    async stop() {
      stopped.abort();
      timer?.cancel();
      await looking;
    },
  };
}

export const storeFileMetrics: MetricGroup<Pick<ReturnType<typeof storeCheck>, 'result'>> = {
  title: 'Store',
  metrics: [
    {
      name: 'store_file_whole',
      help: '1 if SQLite found its file whole, 0 if damaged; absent for PostgreSQL.',
      read: (check) => {
        const result = check.result();
        return result && Number(result.finding === undefined);
      },
    },
  ],
};
