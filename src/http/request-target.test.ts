import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWellFormed, queryValues, splitTarget } from './request-target.ts';

test('a target is its path and its query, in the origin form and in the absolute one', () => {
  const split: readonly [target: string, path: string, query: string][] = [
    ['/v1/time', '/v1/time', ''],
    ['/v1/ticker?symbol=A', '/v1/ticker', 'symbol=A'],
    ['/a?b?c', '/a', 'b?c'],
    ['/', '/', ''],
    ['http://host/v1/time?a', '/v1/time', 'a'],
    ['HTTPS://host', '/', ''],
    ['http://host?a', '', 'a'],
    ['/http://host/a', '/http://host/a', ''],
    ['x/http://host', 'x/http://host', ''],
  ];
  for (const [target, path, query] of split) assert.deepEqual(splitTarget(target), { path, query }, target);
});

test('a percent sign has to start an escape', () => {
  for (const path of ['/', '/%20', '/a%C3%A9']) assert.ok(isWellFormed(path), path);
  for (const path of ['/%', '/%2', '/%2g', '/%zz', '/%%20']) assert.ok(!isWellFormed(path), path);
});

test('every value of a parameter is given, decoded and in order', () => {
  const values = (query: string) => queryValues(query, 'a b');
  assert.deepEqual(values('a%20b=1&x=2&a+b=3'), ['1', '3']);
  assert.deepEqual(values('a b'), ['']);
  assert.deepEqual(values('a b='), ['']);
  assert.deepEqual(values('a b=x+y%2B%C3%A9=1'), ['x y+é=1']);
  assert.deepEqual(values('a b=%E9&a b=%'), [undefined, undefined]);
  assert.deepEqual(values('%=1&A b=1&a=1'), []);
  assert.deepEqual(values(''), []);
});
