import assert from 'node:assert/strict';
import { test } from 'node:test';
import { files, filesEnding, textOf } from './files.ts';

const linesMax = 400;

/**
 * A path of somebody's machine, and a host that packages come from: the npm client knows where, and each user their
 * own.
 */
const traces = [
  /(?<![\w.])\/(?:work|root|Users)\/\w/,
  /(?<![\w.])\/home\/(?!\.\.\.)\w/,
  /\bregistry\.[a-z0-9-]+\.[a-z]{2,}/i,
  /\bnpmjs\b/i,
  /\bartifactory\b/i,
  /\b[A-Z]:\\\\?Users\\/,
];

test('no file of src is longer than 400 lines', () => {
  const long = filesEnding('.ts', 'src').filter((file) => textOf(file).split('\n').length - 1 > linesMax);
  assert.deepEqual(long, []);
});

test('no object literal is spread into another to save lines', () => {
  const spread = filesEnding('.ts', 'src', 'test', 'web', 'bench', 'client', 'exchange-simulator')
    .filter((file) => file !== 'test/repository/tidiness.test.ts')
    .flatMap((file) => [...textOf(file).matchAll(/^\s*\.\.\.\{ .*/gm)].map(([line]) => `${file}: ${line.trim()}`));
  assert.deepEqual(spread, []);
});

test('no comment is wider than 120 columns', () => {
  const written = filesEnding('.ts', 'src', 'test', 'web', 'bench', 'client', 'exchange-simulator');
  const wide = written
    .filter((file) => !file.includes('/generated/'))
    .flatMap((file) =>
      textOf(file)
        .split('\n')
        .flatMap((line, index) =>
          /^\s*(\/\/|\*|\/\*\*)/.test(line) && line.length > 120 ? [`${file}:${index + 1}`] : [],
        ),
    );
  assert.deepEqual(wide, []);
});

test('a description begins with what the thing is or does', () => {
  const found = filesEnding('.ts', 'src').flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) => (/\/\*\* (What|Of|As|Who|Those) /.test(line) ? [`${file}:${index + 1}`] : [])),
  );
  assert.deepEqual(found, []);
});

test('no file holds a path of a machine or the host of a package registry', () => {
  const found = files.flatMap((file) => {
    const text = textOf(file);
    return traces.flatMap((trace) => {
      const match = trace.exec(text)?.[0];
      return match === undefined ? [] : [`${file}: ${match}`];
    });
  });
  assert.deepEqual(found, []);
});
