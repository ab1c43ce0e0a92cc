import { test } from 'node:test';
import pg from 'pg';
import { systemClock } from '../../src/ground/clock.ts';
import { columnTypes } from '../../src/store/postgres/client.ts';
import { postgresConformance } from './postgres-conformance.ts';
import { PostgresModel } from './postgres-model.ts';
import { PostgresSocket } from './postgres-socket.ts';
import { PostgresWire } from './postgres-wire.ts';

for (const [name, run] of Object.entries(postgresConformance)) {
  test(`model of PostgreSQL: ${name}`, async () => {
    const model = new PostgresModel(systemClock);
    const clients: pg.Client[] = [];
    const connect = async (settings: object = {}) => {
      const client = new pg.Client({
        ...settings,
        user: 'test',
        types: columnTypes,
        stream: () => socketTo(model) as never,
      });
      client.on('error', () => {});
      clients.push(client);
      await client.connect();
      return client;
    };
    await run({ connect });
    for (const client of clients) await client.end();
  });
}

function socketTo(model: PostgresModel): PostgresSocket {
  return new PostgresSocket((client) => {
    const later = (run: () => void) => void setImmediate(run);
    const send = (bytes: Buffer) => later(() => client.data(bytes));
    const wire = new PostgresWire({ model, send, close: () => later(() => client.closed()) });
    later(() => client.connected());
    return { send: (bytes) => later(() => wire.receive(bytes)), end: () => later(() => wire.end()) };
  });
}
