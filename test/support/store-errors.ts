import { asEpochMs } from '../../src/ground/clock.ts';
import { noRecordToCopy, recordNotCopied, targetHasRecord } from '../../src/history/query/copy-record.ts';
import { recordNotOpened } from '../../src/history/record/recording-thread.ts';
import { chainEndsElsewhere } from '../../src/history/segment/postgres-segments.ts';
import { DamagedChunk, recordTooNew, recordTooOld } from '../../src/history/segment/record-form.ts';
import { recordOfAnotherProgram } from '../../src/history/segment/sqlite-segments.ts';
import * as accounts from '../../src/store/accounts.ts';
import { alertUnknown } from '../../src/store/alerts.ts';
import * as approvals from '../../src/store/approvals.ts';
import * as copy from '../../src/store/copy-store.ts';
import * as incidents from '../../src/store/incident-rules.ts';
import * as keyRecords from '../../src/store/key-record.ts';
import * as keys from '../../src/store/keys.ts';
import * as markets from '../../src/store/markets.ts';
import * as steps from '../../src/store/migrate.ts';
import { noticeUnknown } from '../../src/store/notices.ts';
import { fileUnnamed, schemeUnsupported } from '../../src/store/open-database.ts';
import { databaseLost } from '../../src/store/open-store.ts';
import { tlsFileUnreadable } from '../../src/store/postgres/client.ts';
import * as postgres from '../../src/store/postgres/errors.ts';
import * as location from '../../src/store/postgres/location.ts';
import * as server from '../../src/store/postgres/open.ts';
import { doesNotAnswer } from '../../src/store/postgres/pool.ts';
import * as sqlite from '../../src/store/sqlite/errors.ts';
import * as file from '../../src/store/sqlite/file.ts';
import { fileOfAnotherProgram } from '../../src/store/sqlite/open.ts';
import type { StoreError, StoreErrorCode } from '../../src/store/store-error.ts';
import * as terms from '../../src/store/terms.ts';
import * as tokens from '../../src/store/tokens.ts';
import { standsBy } from '../../src/store/watch-changes.ts';
import * as windows from '../../src/store/windows.ts';

const path = 'qpath';
const directory = 'qdirectory';
const name = 'qname';
const id = 'qid';
const instant = asEpochMs(1_795_255_200_000);
const forms = { name, form: 77, oldest: 2, newest: 4 };

const ofSqlite = (errcode: number) => sqlite.asStoreError(Object.assign(new Error('qsaid'), { errcode }), path);
const ofServer = (code: string, said = 'qsaid') =>
  postgres.asStoreError(Object.assign(new Error(said), { code }), name);

/** One error of each code, with a value for each that its message names. */
export const everyStoreError: Readonly<Record<StoreErrorCode, StoreError>> = {
  'url_invalid.scheme': schemeUnsupported({ scheme: 'qscheme' }),
  'url_invalid.file': fileUnnamed(),
  'url_invalid.postgres': location.refused('qwhat'),

  'cannot_open.directory_missing': file.directoryMissing({ path, directory }),
  'cannot_open.is_directory': file.isDirectory({ path }),
  'cannot_open.not_a_directory': file.notADirectory({ path, directory }),
  'cannot_open.read_only_file_system': file.readOnlyFileSystem({ path, directory }),
  'cannot_open.file_denied': file.fileDenied({ path }),
  'cannot_open.directory_denied': file.directoryDenied({ path, directory }),
  'cannot_open.system': file.refusedBySystem({ path, systemCode: 'EIO' }),
  'cannot_open.file': ofSqlite(14),
  'cannot_open.tls_file': tlsFileUnreadable({ path, parameter: 'sslcert' }),
  'cannot_open.no_tls': ofServer('', 'The server does not support SSL connections'),
  'cannot_open.certificate': ofServer('CERT_HAS_EXPIRED'),
  'cannot_open.connection': ofServer('08P01', 'unsupported startup parameter: qsaid'),
  'cannot_open.no_database': ofServer('3D000'),
  'cannot_open.no_schema': server.noSchema({ name }),
  'cannot_open.lost': databaseLost({ name, record: 'qrecord' }),
  'cannot_open.record': recordNotOpened({ said: 'The file qpath cannot be opened.' }),

  'unreachable.server': ofServer('ECONNREFUSED'),
  'unreachable.connection': ofServer('08P01', 'query_wait_timeout: qsaid'),
  'unreachable.no_connection_left': ofServer('53300'),
  'unreachable.no_resources': ofServer('53200'),
  'no_answer.hanging': doesNotAnswer({ name }),
  'no_answer.timeout': ofServer('ETIMEDOUT'),
  'access_denied.user': ofServer('28P01'),
  'access_denied.right': ofServer('42501'),
  'access_denied.password_file_open': location.passwordFileOpen({ path }),
  'access_denied.password_file_unreadable': location.passwordFileUnreadable({ path }),
  too_slow: ofServer('57014'),
  old_server: server.serverTooOld({ name, version: 11, oldest: 15 }),

  not_a_database: ofSqlite(26),
  'foreign_database.file': fileOfAnotherProgram({ path }),
  'foreign_database.server': server.tablesOfAnotherProgram({ name }),
  'foreign_database.record': recordOfAnotherProgram({ path }),
  'newer_database.store': steps.madeByNewerVersion({ name, step: 'qstep' }),
  'newer_database.record': recordTooNew(forms),
  'older_database.record': recordTooOld(forms),

  'locked.file': ofSqlite(5),
  'locked.server': ofServer('55P03'),
  'locked.conflict': ofServer('40001'),
  in_use: file.inUse({ path, holder: 'qholder' }),
  'read_only.file': ofSqlite(8),
  'read_only.server': ofServer('25006'),
  'read_only.standby': standsBy(),
  'disk_full.file': ofSqlite(13),
  'disk_full.server': ofServer('53100'),
  unwritable: ofSqlite(778),
  'damaged.file': ofSqlite(11),
  'damaged.server': ofServer('XX001'),
  'damaged.chunk': new DamagedChunk(7, name),
  'unexpected.file': ofSqlite(1),
  'unexpected.server': ofServer('42P01'),
  'unexpected.migration': steps.migrationFailed({ name }, new Error('qsaid')),
  'unexpected.chain': chainEndsElsewhere({ chain: 7, name }),

  email_invalid: accounts.emailInvalid(),
  email_taken: accounts.emailTaken({ email: 'qemail' }),
  account_unknown: accounts.accountUnknown({ id }),

  key_unknown: keyRecords.keyUnknown({ id }),
  key_revoked: keys.keyRevoked({ id }),
  'key_not_active.disabled': keys.keyDisabled({ id }),
  'key_not_active.expired': keys.keyExpired({ id }),
  key_already_rotated: keys.keyAlreadyRotated({ id, replacedBy: 'qreplacedBy' }),
  label_invalid: keyRecords.labelInvalid(),
  limit_invalid: keyRecords.limitInvalid(),
  overlap_in_past: keys.overlapInPast(),
  'expiry_not_in_future.key': keyRecords.keyExpiryInPast(),
  'expiry_not_in_future.token': tokens.tokenExpiryInPast(),

  market_unknown: markets.marketUnknown({ symbol: 'qsymbol' }),
  market_delisted: markets.marketDelisted({ symbol: 'qsymbol' }),

  window_unknown: windows.windowUnknown({ id }),
  window_order: windows.windowEndsBeforeStart(),
  window_in_past: windows.windowInPast(),
  window_description: windows.windowWithoutDescription(),
  window_not_later: windows.windowEndNotLater({ id, to: instant }),
  window_not_running: windows.windowNotRunning({ id }),
  window_started: windows.windowStarted({ id }),
  window_over: windows.windowOver({ id, to: instant }),
  window_cancelled: windows.windowCancelled({ id }),

  incident_unknown: incidents.incidentUnknown({ id }),
  incident_adopted: incidents.incidentAdopted({ id }),
  incident_title: incidents.incidentTitleInvalid({ max: 77 }),
  incident_text: incidents.incidentTextInvalid({ max: 77 }),
  incident_review: incidents.incidentReviewInvalid({ max: 77 }),
  incident_czech: incidents.incidentCzechAlone(),
  incident_parts: incidents.incidentPartsInvalid(),
  incident_start: incidents.incidentStartInvalid({ days: 77 }),
  incident_end: incidents.incidentEndInvalid(),
  incident_unchanged: incidents.incidentUnchanged(),
  incident_resolved: incidents.incidentResolved({ id }),
  incident_not_resolved: incidents.incidentNotResolved({ id }),
  incident_full: incidents.incidentFull({ id, max: 77 }),
  incidents_many: incidents.incidentsTooMany({ max: 77 }),

  term_unknown: terms.termUnknown({ id }),
  term_empty: terms.termEmpty(),
  term_value: terms.termValueInvalid({ title: 'qtitle', must: 'qmust' }),
  'term_scope.subject': terms.termWithoutSubject(),
  'term_scope.service': terms.termWithoutCurrency(),
  term_start: terms.termStartTooLate(),
  term_cancelled: terms.termCancelled({ id }),
  term_begun: terms.termBegun({ id, from: instant }),

  approval_unknown: approvals.approvalUnknown({ id }),
  approval_decided: approvals.approvalDecided({ id, state: 'rejected', by: 'qby' }),
  approval_expired: approvals.approvalExpired({ id, at: instant }),
  approval_waits: approvals.approvalWaits({ id, by: 'qby' }),
  approval_too_many: approvals.tooManyApprovals({ max: 77 }),
  approval_own: approvals.approvalOwn({ id, by: 'qby', actor: 'qactor' }),
  approval_outdated: approvals.approvalOutdated({ id, what: 'qwhat', was: 'qwas', is: 'qis' }),
  approval_start: approvals.approvalStartPassed({ id, from: instant }),

  'copy_refused.another': copy.copyOfAnother({ name }),
  'copy_refused.occupied': copy.targetOccupied({ table: 'qtable', count: 7 }),
  'copy_refused.empty': copy.sourceEmpty({ name }),
  'copy_refused.older': copy.sourceOlder({ name }),
  'copy_refused.no_record': noRecordToCopy(),
  'copy_refused.occupied_record': targetHasRecord(),
  'copy_incomplete.store': copy.copyIncomplete({ what: 'qwhat' }),
  'copy_incomplete.record': recordNotCopied({ what: 'qwhat' }),

  notice_unknown: noticeUnknown({ id }),
  alert_unknown: alertUnknown({ id }),

  'token_unknown.operator': tokens.operatorTokenUnknown({ id }),
  'token_unknown.source': tokens.sourceTokenUnknown({ id }),
  token_name_invalid: tokens.tokenNameInvalid(),
  token_name_taken: tokens.tokenNameTaken({ id, name }),
};
