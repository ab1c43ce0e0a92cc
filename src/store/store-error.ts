/** The reasons that lie in the engine or the file, not in what was asked. Trying again later can help with some. */
const engineReasons = [
  'url_invalid',
  'cannot_open',
  'unreachable',
  'no_answer',
  'access_denied',
  'too_slow',
  'old_server',
  'not_a_database',
  'foreign_database',
  'newer_database',
  'older_database',
  'locked',
  'in_use',
  'read_only',
  'disk_full',
  'unwritable',
  'damaged',
  'unexpected',
] as const;

/** Why the store refused or failed. Stable: programs decide on it, people read the message. */
export type StoreErrorReason =
  | (typeof engineReasons)[number]
  | 'email_invalid'
  | 'email_taken'
  | 'account_unknown'
  | 'key_unknown'
  | 'key_revoked'
  | 'key_not_active'
  | 'key_already_rotated'
  | 'label_invalid'
  | 'expiry_not_in_future'
  | 'limit_invalid'
  | 'overlap_in_past'
  | 'market_unknown'
  | 'market_delisted'
  | 'window_unknown'
  | 'window_order'
  | 'window_in_past'
  | 'window_description'
  | 'window_not_later'
  | 'window_not_running'
  | 'window_started'
  | 'window_over'
  | 'window_cancelled'
  | 'term_unknown'
  | 'term_empty'
  | 'term_value'
  | 'term_scope'
  | 'term_start'
  | 'term_cancelled'
  | 'term_begun'
  | 'copy_refused'
  | 'copy_incomplete'
  | 'notice_unknown'
  | 'token_unknown'
  | 'token_name_invalid'
  | 'token_name_taken';

/**
 * Everything the store throws. The message is one sentence for the operator: what was refused and
 * how to fix it. It never holds a key, a digest or an SQL parameter.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly reason: StoreErrorReason;

  constructor(reason: StoreErrorReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }

  /** True when the engine or the file is at fault, false when what was asked cannot be done. */
  get isEngineFailure(): boolean {
    return (engineReasons as readonly StoreErrorReason[]).includes(this.reason);
  }
}
