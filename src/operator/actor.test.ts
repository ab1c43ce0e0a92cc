import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actorNameOf, commandActor, isActorName, mayBeOnePerson } from './actor.ts';

describe('the actor of the command line', () => {
  it('is the user of the system, and beside a name that was said it still is', () => {
    assert.equal(commandActor('alice'), 'cli:alice');
    assert.equal(commandActor('alice', 'alice'), 'cli:alice');
    assert.equal(commandActor('root', 'alice'), 'cli:alice (said by root)');
    assert.equal(commandActor(undefined, 'alice'), 'cli:alice (said by unknown)');
    assert.equal(commandActor(undefined), 'cli:unknown');
  });

  it('takes a name that cannot be taken for anything else in the log', () => {
    for (const name of ['alice', 'Alice B.', 'alice@example.com', 'a', 'x'.repeat(60)])
      assert.ok(isActorName(name), name);
    for (const name of ['', ' a', 'a\nb', 'oidc:a', 'a (said by b)', 'x'.repeat(61), 'а', '<b>'])
      assert.ok(!isActorName(name), name);
  });

  it('makes a name of whatever sudo passes on', () => {
    assert.equal(actorNameOf('alice'), 'alice');
    for (const given of ['EXAMPLE\\alice', 'a\nb', '(said by root)', 'x'.repeat(1_000), '\u0000']) {
      assert.ok(isActorName(actorNameOf(given)), given);
    }
  });
});

describe('two actors may be one person', () => {
  const same: readonly (readonly [string, string])[] = [
    ['alice', 'alice'],
    ['alice', 'Alice'],
    ['alice', 'cli:alice'],
    ['alice', 'oidc:alice@example.com'],
    ['alice@example.com', 'oidc:alice@example.com'],
    ['cli:alice (said by root)', 'alice'],
    ['cli:alice', 'cli:bob (said by alice)'],
    ['cli:alice (said by root)', 'cli:bob (said by root)'],
    ['configuration', 'configuration'],
  ];
  for (const [one, other] of same) {
    it(`as ${one} and ${other}`, () => {
      assert.ok(mayBeOnePerson(one, other));
      assert.ok(mayBeOnePerson(other, one));
    });
  }

  const different: readonly (readonly [string, string])[] = [
    ['alice', 'bob'],
    ['configuration', 'alice'],
    ['oidc:alice@example.com', 'oidc:alice@example.org'],
    ['alice', 'cli:bob (said by root)'],
    ['alice', 'cli:root'],
  ];
  for (const [one, other] of different) {
    it(`but not ${one} and ${other}`, () => {
      assert.ok(!mayBeOnePerson(one, other));
      assert.ok(!mayBeOnePerson(other, one));
    });
  }
});
