import { StoreError } from '../../store/store-error.ts';

/** The version of the tables and of what they hold. It changes with what an older program would misread, not with a new column of segments. */
export const recordForm = 3;
/** Before it there was no released version. Everything from here on stays readable. */
const oldestForm = 2;

/** Throws `StoreError` for a record that this version does not read. @param name of the file or database */
export function assertReadable(form: number, name: string): void {
  if (form >= oldestForm && form <= recordForm) return;
  const [age, reason, remedy] =
    form > recordForm
      ? (['a newer', 'newer_database', 'Install that version, or set history.url to another place.'] as const)
      : ([
          'an older',
          'older_database',
          'Move it away, or set history.url to another place: that version still reads it.',
        ] as const);
  const forms = `form ${form}, and this version reads ${oldestForm} to ${recordForm}`;
  throw new StoreError(
    reason,
    `The record in ${name} was made by ${age} version of this program (${forms}). ${remedy}`,
  );
}

/** A piece of the data of a segment is missing, or is no bytes. */
export class DamagedChunk extends StoreError {
  readonly chunk: number;

  constructor(chunk: number, name: string) {
    const remedy = 'Restore the record from a backup; `mdapi history verify` names the segment.';
    super('damaged', `Chunk ${chunk} of the record in ${name} is damaged: it is missing, or holds no bytes. ${remedy}`);
    this.chunk = chunk;
  }
}
