import { StoreError, type StoreErrorReason } from '../store-error.ts';

/** The meaning of a code of PostgreSQL to an operator: the reason, and the rest of a sentence that begins with the database. */
type Meaning = readonly [reason: StoreErrorReason, sentence: string];

const unreachable: Meaning = [
  'unreachable',
  'cannot be reached. Check that the server runs and that its address is right.',
];
const noAnswer: Meaning = ['no_answer', 'did not answer in time. Check the server and the network to it.'];
const refusedLogin: Meaning = [
  'access_denied',
  'refuses this user. Check the user in the URL, its password (MDAPI_STORE_FILE, PGPASSFILE) and pg_hba.conf.',
];

/** By SQLSTATE (PostgreSQL manual, appendix A) or by its class, the first two characters. */
const meanings: Readonly<Record<string, Meaning>> = {
  '08': unreachable,
  '57P': unreachable,
  '57014': ['too_slow', 'took too long to answer. Look for long transactions and an overloaded machine.'],
  '55P03': ['locked', 'is locked by another program. Let that program finish its transaction, then try again.'],
  '40': ['locked', 'was written by another program at the same moment. Try again.'],
  '25006': ['read_only', 'is read-only: a standby, or one made so. Point `store` at the primary.'],
  '28': refusedLogin,
  '3D000': ['cannot_open', 'does not exist. Create it, with this user as its owner.'],
  '42501': ['access_denied', 'denies this user a right it needs. Make it the owner of the database’s tables.'],
  '53300': ['unreachable', 'has no connection left. Raise max_connections, or close what holds them.'],
  '53100': ['disk_full', 'has no room left on its disk. Free some space.'],
  '53': ['unreachable', 'is short of memory or of another resource. Look into the log of its server.'],
  XX001: ['damaged', 'cannot be read in full. Check its disk and restore a backup.'],
  XX002: ['damaged', 'cannot be read in full. Check its disk and restore a backup.'],
};

/** Errors of `pg` itself, which have no code. */
const messages: readonly (readonly [RegExp, Meaning])[] = [
  [/timeout|timed out/i, noAnswer],
  [
    /does not support SSL/i,
    ['cannot_open', 'offers no TLS. Turn on `ssl` there; sslmode=disable is for private networks.'],
  ],
  [/terminated|not queryable|closed/i, unreachable],
  [/SASL|password/i, refusedLogin],
];

/** One clear sentence for whatever `pg` threw. It names the database and the fix, and never holds a value of a query. */
export function asStoreError(error: unknown, name: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  const [reason, sentence] = meaningOf(code, message) ?? ['unexpected', `refused: ${safeText(code, message)}.`];
  return new StoreError(reason, `The database ${name} ${sentence}`, causeOf(code, message));
}

function meaningOf(code: string, message: string): Meaning | undefined {
  const byCode = meanings[code] ?? meanings[code.slice(0, 3)] ?? meanings[code.slice(0, 2)];
  if (byCode !== undefined) return byCode;
  if (isTls(code, message)) {
    return ['cannot_open', `shows a certificate that is not accepted (${code}). Name its authority with sslrootcert.`];
  }
  if (code === 'ETIMEDOUT') return noAnswer;
  // An error of the system about a connection (ECONNREFUSED): only letters, unlike an SQLSTATE.
  if (/^E[A-Z_]{3,}$/.test(code)) return unreachable;
  return messages.find(([pattern]) => pattern.test(message))?.[1];
}

function isTls(code: string, message: string): boolean {
  return (
    /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/.test(code) ||
    /certificate/i.test(message)
  );
}

/**
 * The original carries the values of the row at fault (`detail`, `where`) and is logged with all it has: only its code
 * and its text go on, and of data exceptions, whose text quotes the value, not even that.
 */
function causeOf(code: string, message: string): Error {
  return Object.assign(new Error(safeText(code, message)), code === '' ? {} : { code });
}

function safeText(code: string, message: string): string {
  return code.startsWith('22') ? `a value that it cannot hold (${code})` : message.replace(/\.$/, '');
}

/** Several attempts on a name with several addresses come as one error that holds the others. */
function codeOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = first instanceof Error && 'code' in first ? first.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** True when its connection is unusable: it is lost, hangs, or leads to a server that does not write. */
export function endsConnection({ reason }: StoreError): boolean {
  return reason === 'unreachable' || reason === 'no_answer' || reason === 'read_only';
}
