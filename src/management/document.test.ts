import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { documentSchemas } from '../contract/document-schemas.testing.ts';
import type { OpenApiDocument } from '../contract/openapi.ts';
import { codesOf, managementDocument } from './document.ts';
import { operations } from './operations.ts';
import { problemCodes } from './problems.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const document = JSON.parse(JSON.stringify(managementDocument(operations))) as { readonly [name: string]: Json };
const check = documentSchemas(document as unknown as OpenApiDocument, 'asServer');

function* nodes(value: Json, path = '#'): Iterable<readonly [path: string, node: { readonly [name: string]: Json }]> {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) yield [path, value as { readonly [name: string]: Json }];
  for (const [name, part] of Object.entries(value)) yield* nodes(part as Json, `${path}/${name}`);
}

describe('the document of the management API', () => {
  test('is the one in the repository', () => {
    const stored = readFileSync(new URL('../../docs/openapi/management-v1.json', import.meta.url), 'utf8');
    assert.deepEqual(JSON.parse(stored), document, 'run "npm run generate"');
  });

  test('has an operationId, a summary and a description of its own for every operation', () => {
    for (const part of ['operationId', 'summary', 'description'] as const) {
      const texts = operations.map((operation) => operation[part]);
      assert.ok(texts.every((text) => text.length > 3));
      if (part === 'operationId') assert.equal(new Set(texts).size, texts.length);
    }
    for (const { summary, description } of operations) {
      assert.doesNotMatch(summary, /\.$/);
      assert.match(description, /\.$/);
    }
  });

  test('lets nobody change anything with the role that only reads, but end their own session', () => {
    const changing = operations.filter(({ method, access }) => method !== 'GET' && access === 'read-only');
    assert.deepEqual(
      changing.map(({ operationId }) => operationId),
      ['signOut'],
    );
    const { delete: end } = (document.paths as Record<string, Record<string, { security: Json }>>)['/api/session']!;
    assert.deepEqual(end!.security, [{ token: ['read-only'] }, { session: ['read-only'], csrf: [] }]);
  });

  test('refers to nothing that is not there, and defines nothing that nobody refers to', () => {
    const referred = new Set<string>();
    for (const [path, node] of nodes(document)) {
      if (typeof node.$ref !== 'string') continue;
      referred.add(node.$ref);
      const found = node.$ref
        .slice(2)
        .split('/')
        .reduce<Json | undefined>((at, name) => (at as { [name: string]: Json } | undefined)?.[name], document);
      assert.ok(found !== undefined, `${path}: ${node.$ref}`);
    }
    for (const kind of ['schemas', 'responses', 'headers', 'examples']) {
      const names = Object.keys((document.components as Record<string, object>)[kind]!);
      assert.deepEqual(
        names.filter((name) => !referred.has(`#/components/${kind}/${name}`)),
        [],
        kind,
      );
    }
  });

  test('declares every parameter of each path', () => {
    for (const [path, item] of Object.entries(
      document.paths as Record<string, Record<string, { parameters: { name: string; in: string }[] }>>,
    )) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters } of Object.values(item)) {
        assert.deepEqual(
          parameters.filter((one) => one.in === 'path').map(({ name }) => name),
          inPath,
          path,
        );
      }
    }
  });

  test('describes every schema and property, and every example is as its schema says', () => {
    let examples = 0;
    for (const [path, node] of nodes(document)) {
      const { schema, example } = node;
      if (schema !== undefined && example !== undefined) {
        examples++;
        assert.deepEqual(check(schema, example), [], `${path}: ${JSON.stringify(example)}`);
      }
      if (path.endsWith('/properties')) continue;
      if (node.type === 'object' && node.properties !== undefined) {
        assert.equal(typeof node.description, 'string', path);
        for (const [name, property] of Object.entries(
          node.properties as Record<string, { description?: string; $ref?: string }>,
        )) {
          assert.equal(typeof (property.description ?? property.$ref), 'string', `${path}/${name}`);
        }
      }
    }
    assert.ok(examples > 40, `only ${examples} examples`);
    const problems = (document.components as { examples: Record<string, { value: Json }> }).examples;
    for (const { value } of Object.values(problems))
      assert.deepEqual(check({ $ref: '#/components/schemas/Problem' }, value), []);
  });

  test('has every code somewhere but those that no operation can lead to', () => {
    const answered = new Set(operations.flatMap(codesOf));
    assert.deepEqual(
      problemCodes.filter((code) => !answered.has(code)),
      ['METHOD_NOT_ALLOWED'],
    );
  });
});
