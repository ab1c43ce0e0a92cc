/** Runs tasks one after the other, in the order in which they came. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as the task does. One that fails does not keep the next from running. */
  run<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves once every task given before is done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
