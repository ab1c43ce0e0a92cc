/** Every `recordTest` once more, on PostgreSQL instead of SQLite. */
import { testRecordsOnPostgres } from './record.testing.ts';

testRecordsOnPostgres();
await import('../reading/bodies.test.ts');
await import('../reading/coverage.test.ts');
await import('../query/copy-record.test.ts');
await import('../ship/ship-span.test.ts');
await import('./recording.test.ts');
await import('../query/tampering.test.ts');
await import('./day-seals.test.ts');
await import('./writer.test.ts');
await import('../../../test/service/record.test.ts');
await import('../../../test/service/recorded-changes.test.ts');
