import assert from 'node:assert/strict';
import { after } from 'node:test';
import { seededRandomness } from '../../../test/support/fake-clock.ts';
import { type PostgresServer, startPostgres } from '../../../test/support/postgres.ts';
import { tlsFiles } from '../../../test/support/tls-files.ts';
import { systemClock } from '../../ground/clock.ts';
import { postgresTest, refusal } from '../store.testing.ts';
import { openStore } from '../store.ts';

let shared: Promise<PostgresServer> | undefined;
after(async () => (await shared)?.stop());

/** Opens a store over TLS as this user, who is let in no other way, and closes it again. */
async function open(parameters: Readonly<Record<string, string>>, host = 'localhost'): Promise<void> {
  // The certificate is for 127.0.0.1 and not for the other.
  shared ??= startPostgres({ listen_addresses: '127.0.0.1,127.0.0.2' }, true).then(async (server) => {
    await server.run('create role tls_only login superuser');
    return server;
  });
  const server = await shared;
  const url = new URL(server.urlOf('postgres', 'tls_only'));
  url.hostname = host;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const store = await openStore({ url: url.href, clock: systemClock, randomness: seededRandomness(1) });
  await store.close();
}

const trusted = { sslrootcert: tlsFiles.authority };

postgresTest('a server whose certificate is its host’s, from a trusted authority, is spoken to over TLS', async () => {
  await open({ sslmode: 'verify-full', ...trusted });
  await open({ sslmode: 'verify-full', ...trusted }, '127.0.0.1');
});

postgresTest('a certificate from an authority that nobody named is refused, unless none is asked for', async () => {
  await assert.rejects(open({ sslmode: 'verify-full' }), refusal('cannot_open'));
  await assert.rejects(open({ sslmode: 'verify-ca' }), /certificate .* sslrootcert\.$/);
  await open({ sslmode: 'require' });
});

postgresTest('another host’s certificate is refused by verify-full alone', async () => {
  await assert.rejects(open({ sslmode: 'verify-full', ...trusted }, '127.0.0.2'), /ERR_TLS_CERT_ALTNAME_INVALID/);
  await open({ sslmode: 'verify-ca', ...trusted }, '127.0.0.2');
});

postgresTest('without TLS a server that wants it lets nobody in, and says so', async () => {
  await assert.rejects(open({ sslmode: 'disable' }), refusal('access_denied'));
});
