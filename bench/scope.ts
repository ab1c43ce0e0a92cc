import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What one measurement works with: a directory of its own, and an end at which all it started is stopped. */
export class Scope implements AsyncDisposable {
  readonly quick: boolean;
  readonly directory = mkdtempSync(join(tmpdir(), 'mdapi-bench-'));
  readonly #report: (text: string) => void;
  readonly #undo: (() => Promise<unknown>)[] = [];

  /** @param quick shortens everything: to try the measurements themselves; the figures are not reliable */
  constructor(quick: boolean, report: (text: string) => void) {
    this.quick = quick;
    this.#report = report;
  }

  /** Reports progress. */
  progress(text: string): void {
    this.#report(text);
  }

  /** One of two figures, the second with `--quick`. */
  pick(full: number, quick: number): number {
    return this.quick ? quick : full;
  }

  /** Has `thing` stopped at the end of the measurement, unless it was before. */
  own<Thing extends { stop(): Promise<unknown> }>(thing: Thing): Thing {
    this.#undo.push(() => thing.stop());
    return thing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const step of this.#undo.splice(0).reverse()) await step();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
