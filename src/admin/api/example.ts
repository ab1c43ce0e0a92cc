import { schemas } from './schemas.ts';

interface SchemaNode {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** A whole example of a schema, put together from the examples of its parts. */
export function exampleOf(schema: object): unknown {
  const node = schema as SchemaNode;
  if (node.$ref !== undefined) return exampleOf(schemas[node.$ref.split('/').at(-1) as keyof typeof schemas]);
  if (node.examples !== undefined) return node.examples[0];
  if ('const' in node) return node.const;
  if (node.anyOf !== undefined) return exampleOf(node.anyOf[0]!);
  if (node.properties !== undefined) {
    return Object.fromEntries(Object.entries(node.properties).map(([name, part]) => [name, exampleOf(part)]));
  }
  if (node.items !== undefined) return [exampleOf(node.items)];
  if (node.type === 'boolean') return true;
  if (node.type === 'object') return {};
  throw new Error(`a schema has no example: ${JSON.stringify(schema).slice(0, 200)}`);
}
