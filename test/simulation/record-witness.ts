import { rebuildAnswer } from '../../src/history/query/bodies.ts';
import { RecordReader } from '../../src/history/query/record-reader.ts';
import { openSegments } from '../../src/history/segment/open-segments.ts';
import type { Witnessed } from './clients.ts';
import type { Findings } from './rules.ts';
import type { ServiceProcess } from './service-process.ts';
import { theWorld } from './world.ts';

interface Kept {
  readonly answer: Witnessed;
  readonly process: ServiceProcess;
  /** How often its process had been disturbed, and the disk, when it answered. */
  readonly disturbances: string;
}

/** One answer of so many is looked up again. */
const keptEvery = 10;
/** What a process had noted and not written when it ended is in no record: it says where that begins. */
const writtenWithinMs = 5_000;

/** Keeps some of the answers, and has the record build them again at the end. */
export class RecordWitness {
  readonly #path: string;
  readonly #findings: Findings;
  readonly #kept: Kept[] = [];
  #seen = 0;

  constructor(path: string, findings: Findings) {
    this.#path = path;
    this.#findings = findings;
  }

  saw(answer: Witnessed, process: ServiceProcess): void {
    if (answer.status === 401 || ++this.#seen % keptEvery !== 0) return;
    const kept = { answer, process, disturbances: disturbancesOf(process) };
    theWorld()
      .scheduler.lane('auditor')
      .later(writtenWithinMs, () => {
        if (disturbancesOf(process) === kept.disturbances && isSound()) this.#kept.push(kept);
      });
  }

  async compare(): Promise<void> {
    const store = await openSegments({ kind: 'sqlite', path: this.#path });
    const reader = new RecordReader(store);
    for (const { answer } of this.#kept) {
      const found = await reader.findServing(answer.headers['x-request-id'] ?? '');
      const rebuilt = found && (await rebuildAnswer(reader, found));
      const what =
        found === undefined ? 'is not recorded' : rebuilt === undefined ? 'cannot be built again' : 'is another';
      this.#findings.check(
        'recorded',
        rebuilt?.body === answer.body,
        () => `${answer.by} ${answer.target} ${answer.status} of ${answer.answeredAtMs} ${what}`,
      );
    }
    await store.close();
  }
}

function disturbancesOf(process: ServiceProcess): string {
  return `${process.disturbedAtMs} ${isSound()}`;
}

function isSound(): boolean {
  const { isFull, syncMs } = theWorld().disk;
  return !isFull && syncMs === 1;
}
