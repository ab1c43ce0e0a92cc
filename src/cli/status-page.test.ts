import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newOperator } from './cli.testing.ts';

test('the status page is written as files with announced maintenance, and again over those of before', async (t) => {
  const { directory, mdapi, json, text } = newOperator(t);
  await text('accounts', 'create', '--email', 'a@example.com');
  const refused = await mdapi('status-page', 'export', 'status');
  assert.equal(refused.exitCode, 3);
  assert.match(refused.stderr, /Set server\.baseUrl/);
  writeFileSync(
    join(directory, 'mdapi.yaml'),
    'server: { baseUrl: "https://api.example.com" }\nportal: { name: "Example" }\n',
  );
  const window = ['--from', '2030-01-15T20:00Z', '--to', '2030-01-15T21:00Z', '--description', 'Upgrade.'];
  await text('maintenance', 'announce', ...window);
  for (let run = 0; run < 2; run++) {
    const { files } = await json<{ files: string[] }>('status-page', 'export', 'status');
    assert.ok(files.includes('index.html') && files.includes('cs/index.html'));
    const page = readFileSync(join(directory, 'status', 'index.html'), 'utf8');
    assert.match(page, /<title>Status &middot; Example<\/title>/);
    assert.match(page, /Upgrade\./);
    assert.match(
      readFileSync(join(directory, 'status', 'feed.atom'), 'utf8'),
      /<title>Maintenance: Upgrade\.<\/title>/,
    );
    assert.deepEqual(readdirSync(join(directory, 'status')).toSorted(), [
      'assets',
      'cs',
      'favicon.svg',
      'feed.atom',
      'index.html',
    ]);
  }
});
