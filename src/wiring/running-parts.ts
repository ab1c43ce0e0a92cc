/** Something that runs until it is stopped. */
export interface Part {
  start(): unknown;
  stop(): unknown;
}

/** The parts of a process that run, to be stopped in the opposite order of their start. */
export class RunningParts {
  readonly #stops: (() => unknown)[] = [];

  /** Keeps what stops a part that runs already. */
  add(stop: () => unknown): void {
    this.#stops.push(stop);
  }

  /**
   * Starts parts, one after the other; `undefined` is one that this process does not have. Throws what a start throws; that
   * part is stopped later all the same, because it may have started halfway.
   */
  async start(...parts: readonly (Part | undefined)[]): Promise<void> {
    for (const part of parts) {
      if (part === undefined) continue;
      this.add(() => part.stop());
      await part.start();
    }
  }

  /** Stops every part, however many of them fail; then throws what the first failure threw. Each part is stopped once. */
  async stop(): Promise<void> {
    const failures: unknown[] = [];
    for (const stop of this.#stops.splice(0).reverse()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
