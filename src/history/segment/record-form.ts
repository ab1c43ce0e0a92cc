import { StoreError } from '../../store/store-error.ts';

/** The version of the tables and of what they hold. It changes with what an older program would misread, not with a new column of segments. */
export const recordForm = 4;
/** Before it there was no released version. Everything from here on stays readable. */
const oldestForm = 2;

/** From here on segments have digests, and roots of their answers. */
export const digestsForm = 4;

/** Throws `StoreError` for a record that this version does not read. @param name of the file or database */
export function assertReadable(form: number, name: string): void {
  if (form >= oldestForm && form <= recordForm) return;
  const isNewer = form > recordForm;
  const way = isNewer ? 'Install that version, or set' : 'Move it away, or set';
  const remedy = `${way} history.url to another place${isNewer ? '' : ': that version still reads it'}.`;
  const forms = `form ${form}, and this version reads ${oldestForm} to ${recordForm}`;
  const message = `The record in ${name} was made by ${isNewer ? 'a newer' : 'an older'} version of this program (${forms}). ${remedy}`;
  throw new StoreError(isNewer ? 'newer_database' : 'older_database', message);
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
