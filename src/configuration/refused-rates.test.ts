import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusal } from './configuration.testing.ts';

describe('what is refused of the rates', () => {
  const cases: readonly (readonly [what: string, yaml: string, line: string])[] = [
    [
      'a second rate source of no known kind',
      'rates: { compare: { source: cbn } }',
      'mdapi.yaml:1:29: rates.compare.source: "cbn" is not one of cnb, ecb, json, exchange, off; did you mean "cnb"?',
    ],
    [
      'a bare second rate source of no known kind',
      'rates: { compare: cbn }',
      'mdapi.yaml:1:19: rates.compare.source: "cbn" is not one of cnb, ecb, json, exchange, off; did you mean "cnb"?',
    ],
    [
      'a second rate source without its kind',
      'rates: { compare: { market: EURCZK } }',
      'mdapi.yaml:1:19: rates.compare.source: is missing',
    ],
    [
      'a second rate source that is the first',
      'rates: { compare: cnb }',
      'mdapi.yaml:1:19: rates.compare: is the source of the rate itself, and would agree with any mistake',
    ],
    [
      'a second rate source without its market',
      'rates: { compare: exchange }',
      'mdapi.yaml:1:19: rates.compare.source: "exchange" needs rates.compare.market',
    ],
  ];
  for (const [what, yaml, line] of cases)
    it(what, () => {
      const refused = refusal({ files: { '/srv/mdapi.yaml': yaml } });
      assert.ok(
        refused.some((each) => each.startsWith(line)),
        refused.join('\n'),
      );
      assert.equal(refused.length, 1);
    });
});
