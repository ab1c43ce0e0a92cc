import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as typebox from 'typebox';
import { Value } from 'typebox/value';
import { Type } from './schema-builder.ts';

/** One schema with everything that can be built, by either builder. */
function everything(type: typeof Type) {
  const word = type.String({ minLength: 1, description: 'A word.' });
  return type.Object(
    {
      word,
      again: type.Optional(word),
      all: type.Array(type.Tuple([type.Integer({ minimum: 0 }), type.Number()]), { minItems: 1 }),
      one: type.Union([type.Literal('all'), type.Literal(3), type.Null()], { default: 'all' }),
      kind: type.Unsafe<'a'>(type.Enum(['a', 'b'], { description: 'A kind.' })),
      truth: type.Optional(type.Unsafe<boolean>(type.Boolean())),
      free: type.Unsafe<unknown>({ $ref: '#/components/schemas/Free' }),
      none: type.Object({}),
      some: type.Object({ only: type.Optional(word) }, { additionalProperties: false }),
    },
    { $id: 'Everything' },
  );
}

/** Every property, those that are not listed too. */
function whole(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(whole);
  if (typeof value !== 'object' || value === null) return value;
  const all = Object.entries(Object.getOwnPropertyDescriptors(value));
  return all.map(([name, { value: inner, enumerable }]) => [name, enumerable, whole(inner)]);
}

test('a schema is that of TypeBox, with its hidden marks and in its order', () => {
  const ours = everything(Type);
  const theirs = everything(typebox.Type);
  assert.deepEqual(whole(ours), whole(theirs));
  assert.equal(JSON.stringify(ours), JSON.stringify(theirs));
});

test('TypeBox checks by it, and takes an optional member as such', () => {
  const schema = Type.Object({ name: Type.String(), age: Type.Optional(Type.Integer({ minimum: 0 })) });
  assert.deepEqual(
    [{ name: 'a' }, { name: 'a', age: 1 }, { name: 'a', age: -1 }, { age: 1 }].map((value) =>
      Value.Check(schema, value),
    ),
    [true, true, false, false],
  );
});
