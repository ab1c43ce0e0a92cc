/** The target of a request as it was written: nothing is decoded, so that no two spellings are one path. */
export interface RequestTarget {
  readonly path: string;
  /** The text after the question mark; empty when there is none. */
  readonly query: string;
}

const absoluteForm = /^https?:\/\/[^/?#]*/i;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

/**
 * Splits a request target. The absolute form (RFC 9112 section 3.2.2) is served like the origin form; its authority is
 * ignored.
 */
export function splitTarget(target: string): RequestTarget {
  const local = target.startsWith('/') ? target : target.replace(absoluteForm, '') || '/';
  const mark = local.indexOf('?');
  return mark === -1 ? { path: local, query: '' } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}

/** False for a path with a percent sign that starts no escape. */
export function isWellFormed(path: string): boolean {
  return !brokenEscape.test(path);
}

/**
 * Every value of a query parameter, decoded, in order; `undefined` for one that cannot be. The name is matched to the
 * letter after decoding.
 */
export function queryValues(query: string, name: string): (string | undefined)[] {
  const values: (string | undefined)[] = [];
  for (const pair of query.includes('&') ? query.split('&') : [query]) {
    const equals = pair.indexOf('=');
    const key = equals === -1 ? pair : pair.slice(0, equals);
    if (key !== name && decoded(key) !== name) continue;
    values.push(equals === -1 ? '' : decoded(pair.slice(equals + 1)));
  }
  return values;
}

function decoded(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
