import * as fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { encodeRows, RowBatch } from '../segment/row-batch.ts';
import type { Rows } from '../segment/rows.ts';

const fsyncAside = promisify(fs.fsync);
const headBytes = 8;

/** A mark: rows after it are not in a segment up to this number. */
export interface JournalMark {
  readonly run: number;
  /** The number of the last segment that holds what comes before. */
  readonly after: number;
}

/** The first byte of a record. */
const recordKind = { mark: 0, rows: 1 } as const;

/**
 * The file of what is recorded and not yet in a segment: marks and batches of rows one after the other in a file, each
 * with its length and CRC-32. A write that fails halfway is taken back, so that the next one follows the last whole
 * record.
 */
export class Journal {
  readonly #file: number;
  #length: number;
  #isSynced = true;

  /** Opens the file, and makes it where it is missing. What it holds is to be read before. */
  constructor(path: string) {
    this.#file = fs.openSync(path, 'a+', 0o600);
    fs.ftruncateSync(this.#file, 0);
    this.#length = 0;
  }

  /** Throws the system's error, with nothing written. */
  mark(mark: JournalMark): void {
    this.#append(Buffer.concat([Buffer.of(recordKind.mark), Buffer.from(JSON.stringify(mark))]));
  }

  /** Throws the system's error, with nothing written. */
  append(rows: Rows): void {
    this.#append(Buffer.concat([Buffer.of(recordKind.rows), encodeRows(rows)]));
  }

  #append(record: Uint8Array): void {
    const head = Buffer.alloc(headBytes);
    head.writeUInt32LE(record.length, 0);
    head.writeUInt32LE(crc32(record), 4);
    const bytes = Buffer.concat([head, record]);
    this.#isSynced = false;
    try {
      let written = 0;
      while (written < bytes.length) written += fs.writeSync(this.#file, bytes, written);
      this.#length += bytes.length;
    } catch (error) {
      fs.ftruncateSync(this.#file, this.#length);
      throw error;
    }
  }

  /**
   * Resolves once what was appended before is on the disk, which can take seconds; more may be appended meanwhile.
   * Rejects with the system's error.
   */
  async sync(): Promise<void> {
    if (this.#isSynced) return;
    this.#isSynced = true;
    try {
      await fsyncAside(this.#file);
    } catch (error) {
      this.#isSynced = false;
      throw error;
    }
  }

  /** Reads again what was appended from a place on. */
  from(place: number): Buffer {
    const bytes = Buffer.alloc(this.#length - place);
    return bytes.subarray(0, fs.readSync(this.#file, bytes, 0, bytes.length, place));
  }

  /** All of it is in segments now. */
  clear(): void {
    fs.ftruncateSync(this.#file, 0);
    this.#length = 0;
  }

  close(): void {
    fs.closeSync(this.#file);
  }
}

/** The journal of a chain, beside the file of the store. */
export function journalOf(path: string, chain: number): string {
  return `${path}.minute${chain}`;
}

/** The chains that have a journal on this machine, whether a process has them or not. */
export function chainsWithJournal(journalPath: string): number[] {
  const start = `${basename(journalPath)}.minute`;
  const names = fs.readdirSync(dirname(journalPath)).filter((name) => name.startsWith(start));
  const endings = names.map((name) => name.slice(start.length)).filter((ending) => /^[1-9]\d*$/.test(ending));
  return endings.map(Number).sort((a, b) => a - b);
}

/**
 * The contents of a journal that are in no segment, and of which process; `undefined` for one that was closed in order.
 */
export interface JournalContent extends JournalMark {
  readonly batches: readonly RowBatch[];
}

/** Reads the file of a journal, and nothing where it is missing. */
export function readJournal(path: string, head: number): JournalContent | undefined {
  return fs.existsSync(path) ? journalContent(fs.readFileSync(path), head) : undefined;
}

/**
 * Reads a journal up to the first record that is damaged or cut short.
 *
 * @param head the number of the last segment stored
 */
export function journalContent(bytes: Buffer, head: number): JournalContent | undefined {
  let mark: JournalMark | undefined;
  let batches: RowBatch[] = [];
  for (const record of recordsOf(bytes)) {
    if (record[0] === recordKind.rows) batches.push(new RowBatch(record.subarray(1)));
    else {
      const found = JSON.parse(record.subarray(1).toString()) as JournalMark;
      if (mark !== undefined && found.after > head) continue;
      mark = found;
      batches = [];
    }
  }
  return mark && { ...mark, batches };
}

function recordsOf(bytes: Buffer): Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    const record = bytes.subarray(at + headBytes, at + headBytes + length);
    if (record.length < length || crc32(record) !== bytes.readUInt32LE(at + 4)) break;
    records.push(record);
    at += headBytes + length;
  }
  return records;
}
