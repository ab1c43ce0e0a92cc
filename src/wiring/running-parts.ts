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

  /** Starts a part. Throws what its start throws; it is stopped later too, as it may have started partly. */
  async start(part: Part): Promise<void> {
    this.add(() => part.stop());
    await part.start();
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
