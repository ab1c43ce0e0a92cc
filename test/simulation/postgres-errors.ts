/** An error as PostgreSQL tells it: five characters say what it is (manual, appendix A). */
export class PostgresError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }

  /** The session ends with it. */
  get isFatal(): boolean {
    return ['57P01', '57P03', '25P03', '53300'].includes(this.code);
  }
}

const messages: Readonly<Record<string, string>> = {
  '25P02': 'current transaction is aborted, commands ignored until end of transaction block',
  '25P03': 'terminating connection due to idle-in-transaction timeout',
  '40P01': 'deadlock detected',
  '55P03': 'canceling statement due to lock timeout',
  '57014': 'canceling statement due to statement timeout',
  '57P01': 'terminating connection due to administrator command',
  '57P03': 'the database system is starting up',
};

export function refused(code: string, message = messages[code] ?? code): PostgresError {
  return new PostgresError(code, message);
}

/** By the extended result code of SQLite. */
const codes: Readonly<Record<number, readonly [code: string, message: string]>> = {
  275: ['23514', 'new row violates check constraint'],
  787: ['23503', 'insert or update on table violates foreign key constraint'],
  1299: ['23502', 'null value in column violates not-null constraint'],
  1555: ['23505', 'duplicate key value violates unique constraint'],
  2067: ['23505', 'duplicate key value violates unique constraint'],
};

const patterns: readonly (readonly [pattern: RegExp, code: string])[] = [
  [/no such table/, '42P01'],
  [/no such column/, '42703'],
  [/no such function/, '42883'],
  [/already exists/, '42P07'],
  [/syntax error|incomplete input/, '42601'],
];

/** What SQLite threw, as PostgreSQL would have told it. */
export function asPostgresError(error: unknown): PostgresError {
  if (error instanceof PostgresError) return error;
  const { errcode, message } = error as { errcode?: number; message: string };
  const known = errcode === undefined ? undefined : codes[errcode];
  if (known !== undefined) return new PostgresError(known[0], `${known[1]} (${message})`);
  const code = patterns.find(([pattern]) => pattern.test(message))?.[1];
  return new PostgresError(code ?? 'XX000', message);
}
