/** Every `storeTest` beside this file once more, on PostgreSQL instead of SQLite, all on one server. */
import { globSync, readFileSync } from 'node:fs';
import { testStoresOn } from './store.testing.ts';

testStoresOn('postgres');
for (const file of globSync('*.test.ts', { cwd: import.meta.dirname })) {
  const url = new URL(file, import.meta.url);
  if (url.href !== import.meta.url && readFileSync(url, 'utf8').includes('storeTest(')) await import(url.href);
}
