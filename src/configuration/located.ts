/** A value and where it was written, so that whatever is wrong with it can be pointed at. */
export interface Located {
  readonly value: Scalar | readonly Located[] | ReadonlyMap<string, LocatedEntry>;
  /** The text a number was written as: `0.50`, where the value has become 0.5. */
  readonly source?: string | undefined;
  /** `mdapi.yaml:3:9`, `environment variable MDAPI_STORE`, `--store`. */
  readonly where: string;
}

export interface LocatedEntry {
  readonly keyWhere: string;
  readonly located: Located;
}

export type Scalar = string | number | bigint | boolean | null;

/** Something wrong with one value, one key, or several values together. */
export interface Problem {
  readonly where: string;
  /** `undefined` when it concerns a whole source, such as a file that is not YAML. */
  readonly key: string | undefined;
  /** What is wrong and what is allowed. Never holds a secret's value. */
  readonly what: string;
}

/** Data read from JSON, each part of it at the same place. */
export function locatedAt(where: string, data: unknown): Located {
  if (Array.isArray(data)) return { where, value: data.map((item) => locatedAt(where, item)) };
  if (typeof data !== 'object' || data === null) {
    const source = typeof data === 'number' ? String(data) : undefined;
    return { where, value: data as Scalar, source };
  }
  const entries = Object.entries(data).map(([key, value]) => {
    return [key, { keyWhere: where, located: locatedAt(where, value) }] as const;
  });
  return { where, value: new Map(entries) };
}
