import { after } from 'node:test';
import pg from 'pg';
import { columnTypes } from '../../src/store/postgres/client.ts';
import { postgresTest, sharedPostgres } from '../../src/store/store.testing.ts';
import { postgresConformance } from './postgres-conformance.ts';

const clients: pg.Client[] = [];
after(() => Promise.all(clients.map((client) => client.end().catch(() => {}))));

for (const [name, run] of Object.entries(postgresConformance)) {
  postgresTest(`PostgreSQL itself: ${name}`, async () => {
    const server = await sharedPostgres();
    const url = await server.newDatabase();
    const connect = async (settings: object = {}) => {
      const client = new pg.Client({ ...settings, connectionString: url, types: columnTypes });
      client.on('error', () => {});
      clients.push(client);
      await client.connect();
      return client;
    };
    await run({ connect });
  });
}
