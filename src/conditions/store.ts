import type { Static } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import { count, line, nullable, nullableLine, object } from '../operator/fields.ts';
import { wayBack } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { condition } from './condition.ts';

const TroubleSchema = object('A failure of the store.', {
  text: line('In English.', 'The disk that holds the database /data/mdapi.sqlite is full. Free some space.', 4_000),
  code: nullableLine('By its code; null where it has none.', 'disk_full.file', 64),
  values: Type.Unsafe<Readonly<Record<string, unknown>>>({
    description: 'What that names.',
    type: 'object',
    additionalProperties: true,
    examples: [{ path: '/data/mdapi.sqlite' }],
  }),
});

function troubleOf(error: Error): Static<typeof TroubleSchema> {
  const { code, values } = error instanceof StoreError ? error : { code: null, values: {} };
  return { text: error.message, code, values: { ...values } };
}

/** Conditions of the store: accounts, keys, windows, terms. */
export const store = {
  StoreUnreachable: condition({
    event: 'service',
    severity: 'critical',
    forMs: 60_000,
    title: 'The database cannot be read',
    values: { trouble: nullable(TroubleSchema, 'Why nothing can be saved; null where it cannot even be read.') },
    *find({ changes, market }) {
      if (!changes.reachable()) yield { values: { trouble: null } };
      const error = market.snapshots.lastError();
      if (error !== undefined) yield { values: { trouble: troubleOf(error) } };
    },
    sentence: ({ trouble }) =>
      trouble === null
        ? 'the store cannot be used: keys, markets and windows are as last known'
        : `nothing can be saved: ${trouble.text}`,
    note: { page: null },
    rule: {
      expr: 'mdapi_store_reachable == 0',
      description: '{{ $labels.instance }} keeps serving, but changes of keys, pauses and windows do not take effect.',
    },
  }),

  StoreDamaged: condition({
    event: 'service',
    severity: 'critical',
    forMs: 0,
    title: 'The database file is damaged',
    values: { finding: line('What SQLite found, in its words.', 'row 3 missing from index') },
    *find({ storeCheck }) {
      const finding = storeCheck.result()?.finding;
      if (finding !== undefined) yield { values: { finding } };
    },
    sentence: ({ finding }) => `the database file is damaged, restore a backup: ${finding}`,
    note: { page: null },
    rule: {
      expr: 'mdapi_store_file_whole == 0',
      description: 'SQLite found the file of {{ $labels.instance }} damaged.',
    },
  }),

  StoreMassChangeHeld: condition({
    event: 'service',
    severity: 'critical',
    forMs: 0,
    title: 'Very many keys or windows vanished from the database at once',
    values: {
      keys: count('Keys that are kept.', 5_000),
      windows: count('Maintenance windows that are kept.', 0),
      terms: count('Terms that are kept.', 0),
    },
    *find({ changes }) {
      const { keys, windows, terms } = changes.held();
      if (keys + windows + terms > 0) yield { values: { keys, windows, terms } };
    },
    sentence({ keys, windows, terms }) {
      const what = `${keys} keys, ${windows} maintenance windows and ${terms} terms vanished from the store and are kept`;
      return `${what}: bring the store back, or run \`mdapi store accept-changes\``;
    },
    note: { page: null },
    rule: {
      expr: 'sum without (kind) (mdapi_store_mass_change_held) > 0',
      description:
        '{{ $labels.instance }} goes on serving {{ $value }} that vanished, until they are back or an operator accepts it.',
    },
  }),

  StoreMadeNew: condition({
    event: 'service',
    severity: 'info',
    forMs: 0,
    title: 'This start made a new database',
    values: { database: line('The database, without a password.', '/var/lib/mdapi/mdapi.sqlite') },
    *find({ store: { made }, access }) {
      if (made !== undefined && access.directory.size === 0) yield { values: { database: made } };
    },
    sentence: ({ database }) =>
      `there was no database ${database}, and this start made one: it holds no key, and nobody is served before it does`,
    note: { page: null },
  }),

  JustUpgraded: condition({
    event: 'service',
    severity: 'critical',
    forMs: 0,
    title: 'This start brought the database up to date',
    isAside: true,
    values: { kept: line('The copy of the database from before.', '/var/lib/mdapi/mdapi.sqlite.before-2.0.0') },
    *find(observed) {
      const { kept } = observed.store;
      if (kept !== undefined) yield { values: { kept } };
    },
    sentence: ({ kept }) => `this start brought the database up to date. ${wayBack(kept)}`,
    note: { page: null },
  }),
};
