/** Every test of the store once more, on PostgreSQL instead of SQLite, all on one server. */
import { globSync, readFileSync } from 'node:fs';
import { testStoresOn } from '../store.testing.ts';

testStoresOn('postgres');
const folder = new URL('../', import.meta.url);
for (const file of globSync('*.test.ts', { cwd: folder })) {
  const url = new URL(file, folder);
  if (readFileSync(url, 'utf8').includes('storeTest(')) await import(url.href);
}
