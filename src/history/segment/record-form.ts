import { StoreError, type StoreErrorValues } from '../../store/store-error.ts';

/**
 * The version of the tables and of what they hold. It changes with what an older program would misread, not with a new
 * column of segments.
 */
export const recordForm = 4;
/** Before it there was no released version. Everything from here on stays readable. */
const oldestForm = 2;

/** From here on segments have digests, and roots of their answers. */
export const digestsForm = 4;

/** Throws `StoreError` for a record that this version does not read. @param place the file or database */
export function assertReadable(form: number, place: string): void {
  if (form >= oldestForm && form <= recordForm) return;
  const forms = { name: place, form, oldest: oldestForm, newest: recordForm };
  throw form > recordForm ? recordTooNew(forms) : recordTooOld(forms);
}

/** A piece of the data of a segment is missing, or is no bytes. */
export class DamagedChunk extends StoreError<'damaged.chunk'> {
  constructor(chunk: number, name: string) {
    const message =
      `Chunk ${chunk} of the record in ${name} is damaged: it is missing, or holds no bytes. ` +
      'Restore the record from a backup; `mdapi history verify` names the segment.';
    super('damaged.chunk', { chunk, name }, message);
  }
}

export function recordTooNew(values: StoreErrorValues['newer_database.record']) {
  const message =
    `The record in ${values.name} was made by a newer version of this program (${formsIn(values)}). ` +
    'Install that version, or set history.url to another place.';
  return new StoreError('newer_database.record', values, message);
}

export function recordTooOld(values: StoreErrorValues['older_database.record']) {
  const message =
    `The record in ${values.name} was made by an older version of this program (${formsIn(values)}). ` +
    'Move it away, or set history.url to another place: that version still reads it.';
  return new StoreError('older_database.record', values, message);
}

function formsIn({ form, oldest, newest }: StoreErrorValues['newer_database.record']): string {
  return `form ${form}, and this version reads ${oldest} to ${newest}`;
}
