import { formatDuration, parseDuration } from './duration.ts';
import { formats } from './formats.ts';
import type { Located, LocatedEntry, Problem } from './located.ts';
import { didYouMean } from './near-miss.ts';
import type { AnnotatedSchema } from './schema-kinds.ts';

interface Check {
  readonly schema: AnnotatedSchema;
  readonly key: string;
  /** Whether the value must stay out of messages. */
  readonly hidden: boolean;
  readonly problems: Problem[];
}

/**
 * Holds one field's value against its schema, and gives the value as plain data; `undefined` when
 * something is wrong, and then `problems` has grown by everything that is.
 */
export function checkValue(schema: AnnotatedSchema, key: string, located: Located, problems: Problem[]): unknown {
  const before = problems.length;
  const value = check({ schema, key, hidden: schema.secret === true, problems }, located);
  return problems.length === before ? value : undefined;
}

/** What a value of this schema has to be, as it stands in messages and in the reference. */
export function allowedValues(schema: AnnotatedSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  if (schema.items !== undefined) {
    const items = `a list, each ${allowedValues(schema.items)}`;
    return schema.orWord === undefined ? items : `${schema.orWord}, or ${items}`;
  }
  if (schema.values !== undefined) return `a map from ${allowedValues(schema.keys ?? {})} to its value`;
  if (schema.type === 'integer') {
    const numbers = `a whole number from ${schema.minimum} to ${schema.maximum}`;
    return schema.orWord === undefined ? numbers : `${schema.orWord}, or ${numbers}`;
  }
  if (schema.type === 'boolean') return 'true or false';
  if (schema.minimumMs !== undefined && schema.maximumMs !== undefined) {
    return `from ${formatDuration(schema.minimumMs)} to ${formatDuration(schema.maximumMs)}, ${formats.duration.allowed}`;
  }
  const allowed = schema.format === undefined ? 'text' : formats[schema.format].allowed;
  return schema.below === undefined ? allowed : `${allowed}, from 0 to under ${schema.below}`;
}

function check(at: Check, located: Located): unknown {
  if (located.value === null) return refuse(at, located, 'has no value');
  if (at.schema.properties !== undefined) return checkRecord(at, located, at.schema.properties);
  if (at.schema.values !== undefined) return checkMap(at, located, at.schema.values);
  if (at.schema.items !== undefined) return checkList(at, located, at.schema.items);
  if (at.schema.type === 'integer') return checkWholeNumber(at, located);
  if (at.schema.type === 'boolean') return checkBoolean(at, located);
  return checkText(at, located);
}

function checkBoolean(at: Check, located: Located): unknown {
  if (typeof located.value === 'boolean') return located.value;
  return refuse(at, located, `${shown(at, located)} is neither`);
}

function refuse(at: Check, { where }: { readonly where: string }, what: string, hint = ''): undefined {
  at.problems.push({
    where,
    key: at.key,
    what: `${what}; allowed: ${allowedValues(at.schema)}.${hint}`.replace(/\.$/, ''),
  });
  return undefined;
}

/** An address with a user, and so most likely with a password. */
const holdsCredentials = /:\/\/[^/\s]*@/;

function shown(at: Check, located: Located): string {
  const { value } = located;
  if (at.hidden) return 'the value (not shown)';
  if (value instanceof Map) return 'a map';
  if (Array.isArray(value)) return 'a list';
  const written = typeof value === 'string' ? JSON.stringify(value) : (located.source ?? String(value));
  if (holdsCredentials.test(written)) return 'the address with credentials (not shown)';
  return written.length > 80 ? `${written.slice(0, 80)}…` : written;
}

function checkWholeNumber(at: Check, located: Located): unknown {
  const { value } = located;
  if (value === at.schema.orWord && value !== undefined) return value;
  if (typeof value === 'string' && /^\d+$/.test(value)) {
    return refuse(at, located, `${shown(at, located)} is text, write it without quotes: ${value}`);
  }
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    return refuse(at, located, `${shown(at, located)} is not a whole number`);
  }
  const { minimum = value, maximum = value } = at.schema;
  if (value < minimum || value > maximum) return refuse(at, located, `${shown(at, located)} is out of range`);
  return value;
}

function checkText(at: Check, located: Located): string | undefined {
  const { value } = located;
  const { format, enum: words } = at.schema;
  if (typeof value === 'number' && format === 'decimal') {
    const quoted = `"${located.source ?? value}"`;
    return refuse(
      at,
      located,
      `${shown(at, located)} is a number; put it in quotes, ${quoted}, so that no digit is lost`,
    );
  }
  if (typeof value === 'number' && format === 'duration') {
    return refuse(at, located, `${shown(at, located)} has no unit, as in ${located.source ?? value}s`);
  }
  if (typeof value !== 'string') return refuse(at, located, `${shown(at, located)} is not text`);
  if (words !== undefined && !words.includes(value)) {
    return refuse(at, located, `${shown(at, located)} is not known`, didYouMean(value, words));
  }
  if (format !== undefined && !formats[format].fits(value)) {
    return refuse(at, located, `${shown(at, located)} is not allowed`);
  }
  return inRange(at, value) ? value : refuse(at, located, `${shown(at, located)} is out of range`);
}

/** The whole part of a checked decimal is enough to tell whether it is under a whole number. */
function inRange(at: Check, value: string): boolean {
  const { below, minimumMs, maximumMs } = at.schema;
  if (below !== undefined && BigInt(value.split('.')[0]!) >= BigInt(below)) return false;
  if (minimumMs === undefined || maximumMs === undefined) return true;
  const spanMs = parseDuration(value) ?? Number.NaN;
  return spanMs >= minimumMs && spanMs <= maximumMs;
}

function checkList(at: Check, located: Located, items: AnnotatedSchema): unknown {
  const { value } = located;
  if (value === at.schema.orWord && value !== undefined) return value;
  if (!Array.isArray(value)) return refuse(at, located, `${shown(at, located)} is not a list`);
  if (value.length < (at.schema.minItems ?? 0)) return refuse(at, located, 'the list is empty');
  return value.map((item: Located, index) => check({ ...at, schema: items, key: `${at.key}[${index}]` }, item));
}

function checkMap(at: Check, located: Located, values: AnnotatedSchema): unknown {
  const { value } = located;
  if (!(value instanceof Map)) return refuse(at, located, `${shown(at, located)} is not a map`);
  const entries = [...(value as ReadonlyMap<string, LocatedEntry>)].map(([name, entry]) => {
    const inner = { ...at, key: `${at.key}.${name}` };
    check({ ...inner, schema: at.schema.keys ?? {} }, { where: entry.keyWhere, value: name });
    return [name, check({ ...inner, schema: values }, entry.located)] as const;
  });
  return Object.fromEntries(entries);
}

function checkRecord(at: Check, located: Located, properties: Readonly<Record<string, AnnotatedSchema>>): unknown {
  const { value } = located;
  if (!(value instanceof Map)) return refuse(at, located, `${shown(at, located)} is not a map`);
  const given = value as ReadonlyMap<string, LocatedEntry>;
  const names = Object.keys(properties);
  for (const [name, entry] of given) {
    if (names.includes(name)) continue;
    const what = `unknown key.${didYouMean(name, names)} Known here: ${names.join(', ')}`;
    at.problems.push({ where: entry.keyWhere, key: `${at.key}.${name}`, what });
  }
  const entries = Object.entries(properties).map(([name, schema]) => {
    const entry = given.get(name);
    const inner = { ...at, schema, key: `${at.key}.${name}` };
    if (entry !== undefined) return [name, check(inner, entry.located)] as const;
    return [name, refuse(inner, located, 'is missing')] as const;
  });
  return Object.fromEntries(entries);
}
