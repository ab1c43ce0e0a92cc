import { type TSchema, Type } from 'typebox';
import { parseDuration } from './duration.ts';
import type { FormatName } from './formats.ts';

/** What every value says of itself, for messages and for the reference. */
export interface Notes {
  readonly description: string;
  /** Why a careless value of this is dangerous. */
  readonly security?: string;
  /** What holds when the value is absent and depends on other values. */
  readonly whenAbsent?: string;
  /** Never printed, not even in a message about it being wrong. */
  readonly secret?: boolean;
  readonly unit?: string;
  readonly examples?: readonly unknown[];
}

/** A schema as the reader of configurations sees it: plain JSON Schema and the notes above. */
export interface AnnotatedSchema extends Partial<Notes> {
  readonly type?: string;
  readonly format?: FormatName;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Durations only: the range in milliseconds. */
  readonly minimumMs?: number;
  readonly maximumMs?: number;
  /** Decimals only: the value stays under this. */
  readonly below?: number;
  readonly enum?: readonly string[];
  readonly items?: AnnotatedSchema;
  readonly minItems?: number;
  /** Lists and whole numbers only: the one word that may stand in their place. */
  readonly orWord?: string;
  readonly properties?: Readonly<Record<string, AnnotatedSchema>>;
  readonly required?: readonly string[];
  /** Maps only: what the keys and the values look like. */
  readonly keys?: AnnotatedSchema;
  readonly values?: AnnotatedSchema;
}

export function text(format: FormatName, options: Notes & { readonly default?: string; readonly below?: number }) {
  return Type.String({ format, ...options });
}

export function optionalText(format: FormatName, options: Notes) {
  return Type.Optional(text(format, options));
}

export function wholeNumber(options: Notes & { minimum: number; maximum: number; default?: number }) {
  return Type.Integer({ ...options });
}

export function yesOrNo(options: Notes & { default: boolean }) {
  return Type.Boolean({ ...options });
}

/** A whole number, or one word in its place that stands for the number that suits. */
/** A span of time, written with its unit; the range is inclusive. */
export function duration(options: Notes & { atLeast: string; atMost: string; default: string }) {
  const { atLeast, atMost, ...notes } = options;
  return text('duration', {
    unit: 'duration',
    minimumMs: parseDuration(atLeast),
    maximumMs: parseDuration(atMost),
    ...notes,
  } as Notes & { default: string });
}

export function oneOf<const Words extends string[]>(words: Words, options: Notes & { default: Words[number] }) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: words, ...options });
}

export function list<Item extends TSchema>(
  items: Item,
  options: Notes & { default: readonly unknown[]; minItems?: number },
) {
  return Type.Array(items, { ...options });
}

/** A list, or one word in its place that stands for every possible item. */
export function listOr<const Word extends string>(
  word: Word,
  items: TSchema,
  options: Notes & { default: Word; minItems?: number },
) {
  return Type.Unsafe<Word | string[]>({ ...Type.Array(items), orWord: word, ...options });
}

/** Names chosen by the operator, each with a value of the same form. */
export function map<Value extends TSchema>(
  keys: TSchema,
  values: Value,
  options: Notes & { default: Readonly<Record<string, unknown>> },
) {
  return Type.Record(Type.String(), values, { keys, values, ...options });
}
