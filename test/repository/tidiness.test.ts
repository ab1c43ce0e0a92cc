import assert from 'node:assert/strict';
import { test } from 'node:test';
import { files, filesEnding, textOf } from './files.ts';

const linesMax = 400;

/** A path of somebody's machine, and a host that packages come from: the npm client knows where, and each user their own. */
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

test('code and documents stay within their bounds', () => {
  const isTest = (file: string) => /\.(test|testing)\.ts$/.test(file);
  const source = filesEnding('.ts', 'src').filter((file) => !isTest(file));
  const lines = (chosen: readonly string[]) =>
    chosen.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0);
  const joining = source.filter((file) => file === 'src/main.ts' || file.startsWith('src/wiring/'));
  const words = filesEnding('.md', 'docs').flatMap((file) => textOf(file).split(/\s+/).filter(Boolean)).length;
  assert.ok(lines(source) <= 49_500, `${lines(source)} lines in src`);
  assert.ok(lines(joining) <= 700, `${lines(joining)} lines that join parts`);
  assert.ok(words <= 25_500, `${words} words in docs`);
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
