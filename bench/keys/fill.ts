import { DatabaseSync } from 'node:sqlite';
import { digestOf, generateApiKey, lastFourOf } from '../../src/access/api-key.ts';
import { systemClock, systemRandomness } from '../../src/ground/clock.ts';
import { openStore } from '../../src/store/store.ts';

/** Look-ups are tried with this many of the keys at most. */
const sampleMax = 100_000;
const idPattern = '0000000000000000';

/** Adds this many keys to a database, and returns some of their texts, evenly taken. */
export async function fillDatabase(path: string, count: number): Promise<readonly string[]> {
  const accountId = await makeAccount(path);
  const database = new DatabaseSync(path);
  database.exec('pragma synchronous = off; pragma cache_size = -500000; begin');
  // One statement prepared once: a million inserts through the store's own checks would take minutes.
  const insert = database.prepare(
    'insert into api_keys (id, account_id, digest, last_four, created_at_ms) values (?, ?, ?, ?, 0)',
  );
  const sampleEvery = Math.max(1, Math.floor(count / sampleMax));
  const sample: string[] = [];
  for (let number = 0; number < count; number++) {
    const key = generateApiKey(systemRandomness);
    const id = `key_${(idPattern + number).slice(-idPattern.length)}`;
    insert.run(id, accountId, digestOf(key), lastFourOf(key));
    if (number % sampleEvery === 0) sample.push(key);
  }
  database.exec('commit');
  database.close();
  return sample;
}

/** Makes the database first, where there is none. */
async function makeAccount(path: string): Promise<string> {
  const store = await openStore({ url: `sqlite:${path}`, clock: systemClock, randomness: systemRandomness });
  const { id } = await store.accounts.create({ email: 'holder@example.com' });
  await store.close();
  return id;
}
