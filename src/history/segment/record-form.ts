import { refusal, StoreError } from '../../store/store-error.ts';

/** The version of the tables and of what they hold. It changes with what an older program would misread, not with a new column of segments. */
export const recordForm = 4;
/** Before it there was no released version. Everything from here on stays readable. */
const oldestForm = 2;

/** From here on segments have digests, and roots of their answers. */
export const digestsForm = 4;

/** Throws `StoreError` for a record that this version does not read. @param place the file or database */
export function assertReadable(form: number, place: string): void {
  if (form >= oldestForm && form <= recordForm) return;
  const name = form > recordForm ? 'newer_database.record' : 'older_database.record';
  throw refusal(name, { name: place, form, oldest: oldestForm, newest: recordForm });
}

/** A piece of the data of a segment is missing, or is no bytes. */
export class DamagedChunk extends StoreError {
  readonly chunk: number;

  constructor(chunk: number, name: string) {
    super('damaged', refusal('damaged.chunk', { chunk, name }).message);
    this.chunk = chunk;
  }
}
