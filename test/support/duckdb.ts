import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const installed = fileURLToPath(new URL('../../node_modules/.cache/duckdb', import.meta.url));

/** Options for `test`: a test that needs DuckDB is skipped without it; the runner names it, and in CI fails. */
export const duckdbNeeds = existsSync(join(installed, 'made')) ? {} : { skip: 'there is no DuckDB: tools/duckdb.sh' };

interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }>;
  closeSync(): void;
}

/** A database in memory, whose relative paths begin in a directory. Values come as texts or JSON. */
export async function openDuckdb(directory: string) {
  const path = join(installed, 'node_modules', '@duckdb', 'node-api', 'lib', 'index.js');
  const { DuckDBInstance } = await import(pathToFileURL(path).href);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = (await instance.connect()) as Connection;
  await connection.run(`SET file_search_path = '${directory}'`);
  return {
    run: (sql: string) => connection.run(sql),
    rows: async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson(),
    close: () => connection.closeSync(),
  };
}
