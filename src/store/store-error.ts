/** The reasons that lie in the engine, the file or the server, and what each means. */
const engineReasons = {
  url_invalid: 'The URL names no database.',
  cannot_open: 'The file or the database cannot be used.',
  unreachable: 'There is no connection to the server.',
  no_answer: 'The server hangs.',
  access_denied: 'The server refuses the user, or the password cannot be read.',
  too_slow: 'The server takes too long.',
  old_server: 'The server is of a version that is too old.',
  not_a_database: 'The file is something else.',
  foreign_database: 'The tables are another program’s.',
  newer_database: 'A newer version of this program made it.',
  older_database: 'A version of this program made it that is too old.',
  locked: 'Another program holds a lock.',
  in_use: 'Another service has it.',
  read_only: 'Nothing can be written.',
  disk_full: 'There is no space.',
  unwritable: 'The disk takes no more.',
  damaged: 'It cannot be read in full.',
  unexpected: 'Anything else.',
} as const satisfies Partial<Readonly<Record<StoreErrorReason, string>>>;

/** The reason of a failure of the engine, the file or the server. */
export type EngineReason = keyof typeof engineReasons;

type NoValues = Readonly<Record<string, never>>;

/** An SQLite file, by its path. */
interface File {
  readonly path: string;
}

/** A database in messages: its URL without a password, or its path. */
interface Named {
  readonly name: string;
}

/** A thing that is asked for, by its id. */
interface Identified {
  readonly id: string;
}

/** The version of a record, and those that this program reads. */
interface FormOfRecord extends Named {
  readonly form: number;
  readonly oldest: number;
  readonly newest: number;
}

/** The values of which the message of each error is made, by its code. */
export interface StoreErrorValues {
  'url_invalid.scheme': { readonly scheme: string | undefined };
  'url_invalid.file': NoValues;
  'url_invalid.postgres': { readonly what: string };

  'cannot_open.directory_missing': File & { readonly directory: string };
  'cannot_open.is_directory': File;
  'cannot_open.not_a_directory': File & { readonly directory: string };
  'cannot_open.read_only_file_system': File & { readonly directory: string };
  'cannot_open.file_denied': File;
  'cannot_open.directory_denied': File & { readonly directory: string };
  'cannot_open.system': File & { readonly systemCode: string };
  'cannot_open.file': File;
  'cannot_open.tls_file': File & { readonly parameter: string };
  'cannot_open.no_tls': Named;
  'cannot_open.certificate': Named & { readonly tlsCode: string };
  'cannot_open.connection': Named & { readonly said: string };
  'cannot_open.no_database': Named;
  'cannot_open.no_schema': Named;
  'cannot_open.lost': Named & { readonly record: string };
  'cannot_open.record': { readonly said: string };

  'unreachable.server': Named;
  'unreachable.connection': Named & { readonly said: string };
  'unreachable.no_connection_left': Named;
  'unreachable.no_resources': Named;
  'no_answer.hanging': Named;
  'no_answer.timeout': Named;
  'access_denied.user': Named;
  'access_denied.right': Named;
  'access_denied.password_file_open': File;
  'access_denied.password_file_unreadable': File;
  too_slow: Named;
  old_server: Named & { readonly version: number; readonly oldest: number };

  not_a_database: File;
  'foreign_database.file': File;
  'foreign_database.server': Named;
  'foreign_database.record': File;
  'newer_database.store': Named & { readonly step: string };
  'newer_database.record': FormOfRecord;
  'older_database.record': FormOfRecord;

  'locked.file': File;
  'locked.server': Named;
  'locked.conflict': Named;
  in_use: File & { readonly holder: string };
  'read_only.file': File;
  'read_only.server': Named;
  'read_only.standby': NoValues;
  'disk_full.file': File;
  'disk_full.server': Named;
  unwritable: File;
  'damaged.file': File;
  'damaged.server': Named;
  'damaged.chunk': Named & { readonly chunk: number };
  'unexpected.file': File & { readonly said: string };
  'unexpected.server': Named & { readonly said: string };
  'unexpected.migration': Named;
  'unexpected.chain': Named & { readonly chain: number };

  email_invalid: NoValues;
  email_taken: { readonly email: string };
  account_unknown: Identified;

  key_unknown: Identified;
  key_revoked: Identified;
  'key_not_active.disabled': Identified;
  'key_not_active.expired': Identified;
  key_already_rotated: Identified & { readonly replacedBy: string };
  label_invalid: NoValues;
  limit_invalid: NoValues;
  overlap_in_past: NoValues;
  'expiry_not_in_future.key': NoValues;
  'expiry_not_in_future.token': NoValues;

  market_unknown: { readonly symbol: string };
  market_delisted: { readonly symbol: string };

  window_unknown: Identified;
  window_order: NoValues;
  window_in_past: NoValues;
  window_description: NoValues;
  window_not_later: Identified & { readonly to: number };
  window_not_running: Identified;
  window_started: Identified;
  window_over: Identified & { readonly to: number };
  window_cancelled: Identified;

  incident_unknown: Identified;
  incident_adopted: Identified;
  incident_title: { readonly max: number };
  incident_text: { readonly max: number };
  incident_review: { readonly max: number };
  incident_czech: NoValues;
  incident_parts: NoValues;
  incident_start: { readonly days: number };
  incident_end: NoValues;
  incident_unchanged: NoValues;
  incident_resolved: Identified;
  incident_not_resolved: Identified;
  incident_full: Identified & { readonly max: number };
  incidents_many: { readonly max: number };

  term_unknown: Identified;
  term_empty: NoValues;
  term_value: { readonly title: string; readonly must: string };
  'term_scope.subject': NoValues;
  'term_scope.service': NoValues;
  term_start: NoValues;
  term_cancelled: Identified;
  term_begun: Identified & { readonly from: number };

  'copy_refused.another': Named;
  'copy_refused.occupied': { readonly table: string; readonly count: number };
  'copy_refused.empty': Named;
  'copy_refused.older': Named;
  'copy_refused.no_record': NoValues;
  'copy_refused.occupied_record': NoValues;
  'copy_incomplete.store': { readonly what: string };
  'copy_incomplete.record': { readonly what: string };

  approval_unknown: Identified;
  approval_decided: Identified & { readonly state: string; readonly by: string };
  approval_expired: Identified & { readonly at: number };
  approval_waits: Identified & { readonly by: string };
  approval_too_many: { readonly max: number };
  approval_own: Identified & { readonly by: string; readonly actor: string };
  approval_outdated: Identified & { readonly what: string; readonly was: string | null; readonly is: string | null };
  approval_start: Identified & { readonly from: number };

  notice_unknown: Identified;
  alert_unknown: Identified;

  'token_unknown.operator': Identified;
  'token_unknown.source': Identified;
  token_name_invalid: NoValues;
  token_name_taken: Identified & { readonly name: string };
}

/** Names an error and its message: the reason, followed by a dot and the case where a reason has several. */
export type StoreErrorCode = keyof StoreErrorValues;

type ReasonOf<Code> = Code extends `${infer Reason}.${string}` ? Reason : Code;

/** Why the store refused or failed. Stable: programs decide on it, people read the message. */
export type StoreErrorReason = ReasonOf<StoreErrorCode>;

/** The codes of failures of the engine, the file or the server. */
export type EngineErrorCode = Extract<StoreErrorCode, EngineReason | `${EngineReason}.${string}`>;

/**
 * Everything the store throws. The message says what was refused and how to fix it; neither it nor the values ever hold
 * a key, a digest or an SQL parameter. Each is made by a function beside what throws it.
 */
export class StoreError<Code extends StoreErrorCode = StoreErrorCode> extends Error {
  override readonly name = 'StoreError';
  readonly code: Code;
  readonly reason: ReasonOf<Code>;
  readonly values: StoreErrorValues[Code];

  constructor(code: Code, values: StoreErrorValues[Code], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.reason = code.split('.')[0] as ReasonOf<Code>;
    this.values = values;
  }

  /**
   * True when the engine or the file is at fault, and trying again later can help; false when what was asked cannot be
   * done.
   */
  get isEngineFailure(): boolean {
    return Object.hasOwn(engineReasons, this.reason);
  }
}

/** True for the error of the store with this code, whose values then have their types. */
export function isStoreError<Code extends StoreErrorCode>(error: unknown, code: Code): error is StoreError<Code> {
  return error instanceof StoreError && error.code === code;
}
