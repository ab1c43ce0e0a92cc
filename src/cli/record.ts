import type { Configuration, HistoryConfiguration } from '../configuration/configuration.ts';
import type { Clock, EpochMs } from '../ground/clock.ts';
import type { RecordQuestions } from '../history/query/questions.ts';
import type { RecordSpan } from '../history/reading/record-reader.ts';
import type { SegmentReader } from '../history/segment/segment-store.ts';
import { type MarketSymbol, parseSymbol } from '../market/symbol.ts';
import type { Store } from '../store/store.ts';
import type { OptionDeclarations, OptionValues } from './command.ts';
import { CommandError, exitCodes, UsageError } from './failure.ts';
import { parseInstant } from './values.ts';

/** Opens the record for reading, beside the server. Throws `CommandError` where there is none. */
export async function withRecord<T>(
  configuration: Pick<Configuration, 'history'>,
  clock: Pick<Clock, 'now'>,
  use: (questions: RecordQuestions) => Promise<T>,
): Promise<T> {
  const { RecordQuestions } = await import('../history/query/questions.ts');
  return withSegments(configuration, (segments) => use(new RecordQuestions(segments, clock)));
}

/** The same, for the segments themselves. */
export async function withSegments<T>(
  { history }: Pick<Configuration, 'history'>,
  use: (segments: SegmentReader, history: HistoryConfiguration) => Promise<T>,
): Promise<T> {
  if (history === undefined) throw notRecorded();
  const { openSegmentsToRead } = await import('../history/segment/open-segments.ts');
  const { location } = history;
  const segments = await openSegmentsToRead(location);
  if (segments === undefined) throw recordMissing(location.kind === 'sqlite' ? location.path : 'in the database');
  try {
    return await use(segments, history);
  } catch (error) {
    throw error instanceof RangeError ? damaged(error.message) : error;
  } finally {
    await segments.close();
  }
}

function notRecorded(): CommandError {
  const message = 'Nothing is recorded: history.url is off, or not set beside a PostgreSQL store.';
  return new CommandError(exitCodes.failure, 'not_recorded', message);
}

function recordMissing(place: string): CommandError {
  const message = `There is no record ${place}. The server makes it when it starts. Is it this configuration’s?`;
  return new CommandError(exitCodes.notFound, 'record_missing', message);
}

function damaged(what: string): CommandError {
  const message = `The record is damaged: ${what}. \`mdapi history verify\` names the segment.`;
  return new CommandError(exitCodes.failure, 'damaged', message);
}

/** A symbol in any case. Throws `UsageError`. */
export function symbolOf(text: string): MarketSymbol {
  const symbol = parseSymbol(text);
  if (symbol === undefined) throw new UsageError(`"${text}" is no symbol: 2 to 32 letters and digits, such as BTCCZK.`);
  return symbol;
}

/** The options of a span of the record. */
export const spanOptions = {
  from: { value: 'INSTANT', required: true, summary: 'start of the span' },
  to: { value: 'INSTANT', summary: 'end of the span (default: now)' },
} as const satisfies OptionDeclarations;

/** Reads `--from` and `--to`. Throws `UsageError`. */
export function readSpan(options: OptionValues<typeof spanOptions>, now: EpochMs): RecordSpan {
  const from = parseInstant(options.from, now, '--from');
  const to = parseInstant(options.to ?? 'now', now, '--to');
  if (to <= from) throw new UsageError('--to has to be after --from.');
  return { from, to };
}

/** The id of a key given by its id or its last four characters: `mdk_…x7Qa`, `…x7Qa`, `x7Qa`. Throws `CommandError`. */
export async function keyIdOf(store: Store, text: string): Promise<string> {
  if (text.startsWith('key_')) return text;
  const lastFour = text.slice(-4);
  const found = (await store.keys.list({})).filter((key) => key.lastFour === lastFour);
  if (found.length === 1) return found[0]!.id;
  const ids = found.map(({ id }) => id).join(', ');
  const what = found.length === 0 ? 'No key ends' : `${found.length} keys end`;
  const remedy = found.length === 0 ? '`mdapi keys list` shows all.' : `Name one by its id: ${ids}.`;
  throw new CommandError(exitCodes.notFound, 'key_unknown', `${what} with ${lastFour}. ${remedy}`);
}
