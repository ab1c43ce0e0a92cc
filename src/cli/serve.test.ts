import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { krakenAt } from '../../test/support/kraken-at.ts';
import { loadConfiguration } from '../configuration/load.ts';
import { systemClock, systemRandomness } from '../ground/clock.ts';
import { version } from '../ground/version.ts';
import { newDirectory } from './cli.testing.ts';
import { startFor } from './serve.ts';

it('a start says in the log that a fee is unusual, and how to undo what it did to the database of an earlier version', async (t) => {
  const cwd = newDirectory(t);
  const exchange = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 0 });
  t.after(() => exchange.stop());
  const store = readFileSync(new URL('../../test/golden/store-4.zst', import.meta.url));
  writeFileSync(join(cwd, 'mdapi.sqlite'), zstdDecompressSync(store));
  const settings = {
    server: { port: 0 },
    admin: { port: 0 },
    history: { url: 'off' },
    pricing: { feePercent: '5' },
    sources: [krakenAt(exchange.restUrl, exchange.wsUrl)],
    rates: { url: exchange.cnbUrl, compare: { source: 'ecb', url: exchange.ecbUrl } },
  };
  const { configuration } = loadConfiguration({ flags: [], env: {}, cwd, readFile: () => JSON.stringify(settings) });
  const log: string[] = [];
  const stderr = { isTerminal: false, write: (text: string) => void log.push(text) };
  const signal = new AbortController().signal;
  const service = await startFor(
    { clock: systemClock, randomness: systemRandomness, stderr, signal, env: {} },
    configuration,
  );
  await service.stop();
  const warnings = log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
  assert.match(warnings[0].msg, /^A fee of 5 % is unusual: clients pay 5 % more and receive 5 % less\.$/);
  assert.ok(warnings[1].backup.startsWith(join(cwd, `mdapi.sqlite.before-${version}-`)));
  assert.match(warnings[1].msg, /run `mdapi store restore .* --replace`/);
});
