import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { createExampleServer } from './example-server.ts';
import { pollEverything } from './generated-client.ts';

test('a client generated from the document reads every endpoint as the document shows it', async (context) => {
  const document = openApiDocument({ baseUrl: 'http://127.0.0.1', errorsUrl: 'http://127.0.0.1/errors' });
  const server = createExampleServer(document).listen(0, '127.0.0.1');
  context.after(() => server.close());
  await once(server, 'listening');

  const { port } = server.address() as AddressInfo;
  const polled = await pollEverything(`http://127.0.0.1:${port}`, 'any key');

  assert.deepEqual(
    polled.markets.map(({ symbol, status }) => [symbol, status]),
    [
      ['BTCCZK', 'trading'],
      ['BTCEUR', 'trading'],
      ['WAVESEUR', 'delisted'],
    ],
  );
  assert.deepEqual(
    polled.refusals.map(({ code }) => code),
    ['MISSING_API_KEY', 'UNKNOWN_SYMBOL'],
  );
});
