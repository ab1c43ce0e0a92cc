import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataFolderState, openFilesState } from './check-files.ts';
import { newDirectory } from './cli.testing.ts';

test('files of the data folder that belong to another user are named with what to do (fault row 107)', async (t) => {
  const dataDir = newDirectory(t);
  const path = join(dataDir, 'mdapi.sqlite');
  for (const suffix of ['', '-wal']) writeFileSync(path + suffix, '');
  const places = { dataDir, store: { kind: 'sqlite', url: `sqlite:${path}`, path }, history: undefined } as const;
  const self = process.getuid!();
  assert.equal(await dataFolderState(places, self), dataDir);
  const stranger = self + 1;
  await assert.rejects(dataFolderState(places, stranger), (error: Error) => {
    assert.match(error.message, new RegExp(`^${path}, ${path}-wal: of user ${self}`));
    assert.match(error.message, new RegExp(`Run \`chown ${stranger} ${path} ${path}-wal\` as root`));
    return true;
  });
});

test('a data folder that is not there yet is named, and so are folders beside it', async (t) => {
  const dataDir = join(newDirectory(t), 'later');
  const elsewhere = join(newDirectory(t), 'other');
  mkdirSync(elsewhere);
  const path = join(elsewhere, 'mdapi.sqlite');
  const places = { dataDir, store: { kind: 'sqlite', url: `sqlite:${path}`, path }, history: undefined } as const;
  assert.equal(await dataFolderState(places), `${dataDir}, ${elsewhere}`);
});

test('a limit of open files that is too low for the connections is said, with how many are left (fault row 104)', async () => {
  assert.equal(await openFilesState(5_000, 16_384), '16384, 5160 may be needed');
  assert.equal(await openFilesState(5_000, undefined), 'any number, 5160 may be needed');
  await assert.rejects(
    openFilesState(5_000, 256),
    /^Error: 256 may be open here and 5160 may be needed: a service started here takes 96 connections, not 5000\. Raise it/,
  );
});
