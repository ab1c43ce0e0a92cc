import { StoreError, type StoreErrorReason } from '../store-error.ts';
import written from './errors.json' with { type: 'json' };

/** The meaning of an error to an operator: the reason, and the rest of a sentence that begins with the database. */
interface Meaning {
  readonly reason: StoreErrorReason;
  readonly sentence: string;
}

interface KnownMeaning extends Meaning {
  /** SQLSTATEs (PostgreSQL manual, appendix A), classes of them, which are their first characters, and codes of the system. */
  readonly codes: readonly string[];
  /** A pattern of the messages of `pg` itself, which come without a code. */
  readonly message?: string;
}

const known: readonly KnownMeaning[] = written as readonly KnownMeaning[];
const meanings = new Map(known.flatMap((each) => each.codes.map((code) => [code, each])));

/** One clear sentence for whatever `pg` threw. It names the database and the fix, and never holds a value of a query. */
export function asStoreError(error: unknown, name: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  const unexpected = { reason: 'unexpected', sentence: `refused: ${safeText(code, message)}.` } as const;
  const { reason, sentence } = meaningOf(code, message) ?? unexpected;
  return new StoreError(reason, `The database ${name} ${sentence}`, causeOf(code, message));
}

function meaningOf(code: string, message: string): Meaning | undefined {
  const byCode = meanings.get(code) ?? meanings.get(code.slice(0, 3)) ?? meanings.get(code.slice(0, 2));
  if (byCode !== undefined) return byCode;
  if (isTls(code, message)) {
    const sentence = `shows a certificate that is not accepted (${code}). Name its authority with sslrootcert.`;
    return { reason: 'cannot_open', sentence };
  }
  // An error of the system about a connection (ECONNREFUSED): only letters, unlike an SQLSTATE.
  if (/^E[A-Z_]{3,}$/.test(code)) return meanings.get('08');
  return known.find((each) => each.message !== undefined && new RegExp(each.message, 'i').test(message));
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
