import { Default } from 'typebox/value';
import { configurationSchema, fields } from './schema.ts';
import { setAt, valueAt } from './sources.ts';

/** The values with defaults for what is left out, and with a map wherever a bare value stands for one. Changes `data`. */
export function withDefaults(data: unknown): unknown {
  const filled = Default(configurationSchema, data);
  if (typeof filled !== 'object' || filled === null) return filled;
  for (const { path, schema } of fields) {
    const key = schema.items?.bareKey;
    const items = valueAt(filled, path);
    if (key === undefined || !Array.isArray(items)) continue;
    const maps = items.map((item) => (typeof item === 'object' && item !== null ? item : { [key]: item }));
    setAt(filled, path, maps);
  }
  return Default(configurationSchema, filled);
}
