import { Type } from '../contract/schema-builder.ts';
import { exampleOf } from '../contract/schema-parts.ts';
import { checkOf } from '../ground/schema-check.ts';
import { conditions, type FoundCondition, foundConditions } from './list.ts';

const example = { code: 'SourceLost', values: exampleOf(conditions.SourceLost.schema as object) };

/** Every condition that a process finds, by its code, with what it names. */
export const FoundConditionSchema = Type.Unsafe<FoundCondition>({
  $id: 'FoundCondition',
  description:
    'A condition by its code, and what it names: whoever reads it makes the words from that. The set can grow.',
  anyOf: foundConditions.map(([code, { title, schema }]) =>
    Type.Object(
      { code: Type.Literal(code, { description: 'The condition.' }), values: schema },
      { description: `${title}.` },
    ),
  ),
  examples: [example],
});

const checks = new Map<string, ReturnType<typeof checkOf>>(
  foundConditions.map(([code, { schema }]) => [code, checkOf(schema)]),
);

/** A condition as an alert was stored with it; null where it is none of this version's, such as a test. */
export function storedCondition(code: string, values: object | undefined): FoundCondition | null {
  if (values === undefined || checks.get(code)?.(values) !== true) return null;
  return { code, values } as FoundCondition;
}
