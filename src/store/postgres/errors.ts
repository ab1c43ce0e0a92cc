import { type EngineErrorCode, StoreError, type StoreErrorValues } from '../store-error.ts';

/** Errors that name the database and nothing else. */
type NamedErrorCode = {
  [Code in EngineErrorCode]: { readonly name: string } extends StoreErrorValues[Code] ? Code : never;
}[EngineErrorCode];

/** The meaning of errors to an operator. */
interface Meaning {
  /**
   * SQLSTATEs (PostgreSQL manual, appendix A), classes of them, which are their first characters, and codes of the
   * system.
   */
  readonly serverCodes: readonly string[];
  /** Messages of `pg` itself, which come without a code. */
  readonly said?: RegExp;
  readonly code: NamedErrorCode;
  /** The rest of a sentence that begins with the database. */
  readonly finding: string;
}

export const meanings: readonly Meaning[] = [
  {
    serverCodes: ['ETIMEDOUT'],
    said: /timeout|timed out/i,
    code: 'no_answer.timeout',
    finding: 'did not answer in time. Check the server and the network to it.',
  },
  {
    serverCodes: [],
    said: /does not support SSL/i,
    code: 'cannot_open.no_tls',
    finding: 'offers no TLS. Turn on `ssl` there; sslmode=disable is for private networks.',
  },
  {
    serverCodes: ['57P'],
    said: /terminated|not queryable|closed/i,
    code: 'unreachable.server',
    finding: 'cannot be reached. Check that the server runs and that its address is right.',
  },
  {
    serverCodes: ['28'],
    said: /SASL|password/i,
    code: 'access_denied.user',
    finding:
      'refuses this user. Check the user in the URL, its password (MDAPI_STORE_FILE, PGPASSFILE) and pg_hba.conf.',
  },
  {
    serverCodes: ['57014'],
    code: 'too_slow',
    finding: 'took too long to answer. Look for long transactions and an overloaded machine.',
  },
  {
    serverCodes: ['55P03'],
    code: 'locked.server',
    finding: 'is locked by another program. Let that program finish its transaction, then try again.',
  },
  {
    serverCodes: ['40'],
    code: 'locked.conflict',
    finding: 'was written by another program at the same moment. Try again.',
  },
  {
    serverCodes: ['25006'],
    code: 'read_only.server',
    finding: 'is read-only: a standby, or one made so. Point `store` at the primary.',
  },
  {
    serverCodes: ['3D000'],
    code: 'cannot_open.no_database',
    finding: 'does not exist. Create it, with this user as its owner.',
  },
  {
    serverCodes: ['42501'],
    code: 'access_denied.right',
    finding: 'denies this user a right it needs. Make it the owner of the database’s tables.',
  },
  {
    serverCodes: ['53300'],
    code: 'unreachable.no_connection_left',
    finding: 'has no connection left. Raise max_connections, or close what holds them.',
  },
  {
    serverCodes: ['53100'],
    code: 'disk_full.server',
    finding: 'has no room left on its disk. Free some space.',
  },
  {
    serverCodes: ['53'],
    code: 'unreachable.no_resources',
    finding: 'is short of memory or of another resource. Look into the log of its server.',
  },
  {
    serverCodes: ['XX001', 'XX002'],
    code: 'damaged.server',
    finding: 'cannot be read in full. Check its disk and restore a backup.',
  },
];

/**
 * Words of a pooler or a server about a connection that it will never give, under a class that is else of what may pass
 * (SQLSTATE 08): PgBouncer says nearly everything with 08P01.
 */
const saidForGood =
  /startup parameter|startup packet|authentication failed|login rejected|no such (user|database)|does not (exist|allow)|not (permitted|allowed)|permission denied|SSL required|pg_hba|config error|unsupported|not supported/i;

const meaningOfCode = new Map(meanings.flatMap((each) => each.serverCodes.map((code) => [code, each] as const)));

/**
 * One clear sentence for whatever `pg` threw. It names the database and the fix, and never holds a value of a query.
 */
export function asStoreError(error: unknown, name: string): StoreError {
  if (error instanceof StoreError) return error;
  const serverCode = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  const cause = causeOf(serverCode, message);
  const known = meaningOfCode.get(serverCode) ?? meaningOfClass(serverCode);
  if (known !== undefined) return meant(known, name, cause);
  if (/^08/.test(serverCode)) return ofConnection({ name, said: safeText(serverCode, message) }, cause);
  if (isTls(serverCode, message)) return certificateRefused({ name, tlsCode: serverCode }, cause);
  const other = isOfSystem(serverCode) ? meaningOfCode.get('57P') : meanings.find(({ said }) => said?.test(message));
  return other === undefined
    ? refused({ name, said: safeText(serverCode, message) }, cause)
    : meant(other, name, cause);
}

function meaningOfClass(serverCode: string): Meaning | undefined {
  return meaningOfCode.get(serverCode.slice(0, 3)) ?? meaningOfCode.get(serverCode.slice(0, 2));
}

/** True for an error of the system about a connection (ECONNREFUSED): it has only letters, unlike an SQLSTATE. */
function isOfSystem(serverCode: string): boolean {
  return /^E[A-Z_]{3,}$/.test(serverCode);
}

function meant({ code, finding }: Meaning, name: string, cause: unknown): StoreError {
  return new StoreError(code, { name }, `The database ${name} ${finding}`, cause);
}

/** An answer about the connection itself, in the words of whoever gave it. */
function ofConnection(values: StoreErrorValues['unreachable.connection'], cause?: unknown) {
  return saidForGood.test(values.said) ? connectionRefused(values, cause) : connectionNotGiven(values, cause);
}

function connectionRefused(values: StoreErrorValues['cannot_open.connection'], cause?: unknown) {
  const { name, said } = values;
  const message =
    `The database ${name} refuses the connection: “${said}”. ` +
    'Correct the URL, its user and password, or the pooler between, if there is one.';
  return new StoreError('cannot_open.connection', values, message, cause);
}

function connectionNotGiven(values: StoreErrorValues['unreachable.connection'], cause?: unknown) {
  const { name, said } = values;
  const message =
    `The database ${name} gives no connection now: “${said}”. ` +
    'Check the server, and the pooler before it, if there is one.';
  return new StoreError('unreachable.connection', values, message, cause);
}

function certificateRefused(values: StoreErrorValues['cannot_open.certificate'], cause?: unknown) {
  const { name, tlsCode } = values;
  const message =
    `The database ${name} shows a certificate that is not accepted (${tlsCode}). ` +
    'Name its authority with sslrootcert.';
  return new StoreError('cannot_open.certificate', values, message, cause);
}

function refused(values: StoreErrorValues['unexpected.server'], cause?: unknown) {
  return new StoreError('unexpected.server', values, `The database ${values.name} refused: ${values.said}.`, cause);
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
