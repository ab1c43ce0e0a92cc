import { createRequire } from 'node:module';
import type { TSchema } from 'typebox';
import type * as Compiler from 'typebox/compile';

const load = createRequire(import.meta.url);

/** Tells whether a value fits a schema. What compiles it is loaded at the first value: most commands never have one. */
export function checkOf(schema: TSchema): (value: unknown) => boolean {
  let validator: ReturnType<typeof Compiler.Compile> | undefined;
  return (value) => {
    validator ??= (load('typebox/compile') as typeof Compiler).Compile(schema);
    return validator.Check(value);
  };
}
