import { KeyDirectory } from '../src/access/key-directory.ts';
import { KeyDirectoryLoader } from '../src/access/key-directory-loader.ts';
import { systemClock, systemRandomness } from '../src/ground/clock.ts';
import { openStore } from '../src/store/store.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres.ts';
import { span, whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import { median } from './report/statistics.ts';
import type { Scope } from './scope.ts';

interface Loading {
  readonly keys: number;
  readonly loadMs: number;
}

/** How long a start waits for its keys when they come from PostgreSQL, on the same machine. */
export async function store(scope: Scope): Promise<Section> {
  const server = await startPostgres({ shared_buffers: '256MB' });
  try {
    const found: Loading[] = [];
    for (const count of [10_000, scope.pick(1_000_000, 50_000)]) found.push(await measure(scope, server, count));
    return {
      title: 'Keys from PostgreSQL',
      meaning:
        'The time from nothing to a complete directory of keys, read in pages from a PostgreSQL server of its own on the same machine, with its defaults but for memory. Both share the cores.',
      columns: ['keys', 'loaded in'],
      rows: found.map(({ keys, loadMs }) => [whole(keys), span(loadMs)]),
      bars: [],
      figures: found,
    };
  } finally {
    await server.stop();
  }
}

async function measure(scope: Scope, server: PostgresServer, count: number): Promise<Loading> {
  scope.progress(`${whole(count)} keys are made in PostgreSQL`);
  const url = await server.newDatabase();
  const opened = await openStore({ url, clock: systemClock, randomness: systemRandomness });
  const { id } = await opened.accounts.create({ email: 'holder@example.com' });
  await server.run(
    `insert into api_keys (id, account_id, digest, last_four, created_at_ms)
      select 'key_' || lpad(n::text, 16, '0'), '${id}', sha256(n::text::bytea), 'wxyz', 1 from generate_series(1, ${count}) as n`,
    url,
  );
  await server.run('analyze', url);
  const times: number[] = [];
  for (let run = 0; run < scope.pick(5, 1); run++) {
    scope.progress(`${whole(count)} keys: loading ${run + 1}`);
    const directory = new KeyDirectory(() => {});
    const startedMs = performance.now();
    await new KeyDirectoryLoader(directory, opened).refresh();
    times.push(performance.now() - startedMs);
    if (directory.size !== count) throw new Error(`${directory.size} keys are held, not ${count}`);
  }
  await opened.close();
  return { keys: count, loadMs: median(times) };
}
