import type { Answer, Value } from './postgres-answer.ts';
import type { Table } from './postgres-schema.ts';

const version = 18;

/** What is asked of PostgreSQL's own tables, by the service and by its library. `undefined` for anything else. */
export function answerOfCatalogue(
  text: string,
  tables: ReadonlyMap<string, Table>,
  parameters: readonly Value[],
): Answer | undefined {
  if (!/\bpg_(?:class|attribute|namespace)\b/.test(text)) return undefined;
  if (/server_version_num/.test(text)) {
    const ours = [...tables.keys()].filter((name) => name === parameters[0]).length;
    return answer(
      ['version', 'schema', 'tables', 'ours'],
      [[BigInt(version), 'public', BigInt(tables.size), BigInt(ours)]],
    );
  }
  if (!/\bpg_attribute\b/.test(text)) return answer(['nspname'], [['pg_catalog'], ['public'], ['information_schema']]);
  const names =
    'column not_null has_default table table_type schema type type_schema column_description auto_incrementing';
  const rows = [...tables.values()].flatMap(({ name, columns, types, notNull }) =>
    columns.map((column, at) => [
      column,
      notNull[at] ? 't' : 'f',
      'f',
      name,
      'r',
      'public',
      types[at]!,
      'pg_catalog',
      null,
      null,
    ]),
  );
  return answer(names.split(' '), rows);
}

function answer(names: readonly string[], rows: readonly (readonly Value[])[]): Answer {
  const columns = names.map((name) => ({
    name,
    type: /^(?:not_null|has_default)$/.test(name) ? 'boolean' : null,
    isNumeric: false,
  }));
  return { command: 'SELECT', count: rows.length, columns, rows };
}
