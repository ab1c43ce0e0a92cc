/** What an answer carried beside its body. */
export interface ResponseDetails {
  /** 200, or 304 when the service confirmed the data that the client had. */
  readonly status: number;
  /** Quote it when you contact the operator. */
  readonly requestId: string | undefined;
  readonly headers: { get(name: string): string | null };
}

/** The data of an answer with its details. */
export interface Answered<T> {
  readonly data: T;
  readonly response: ResponseDetails;
}

/** A call under way: a promise of the data. */
export interface Call<T> extends Promise<T> {
  /** The data together with status, headers and request id of the answer. */
  withResponse(): Promise<Answered<T>>;
}

/** A call on top of one promise, so that a failure that its caller handles is never reported as unhandled. */
export class PendingCall<T> implements Call<T> {
  readonly [Symbol.toStringTag] = 'Call';
  readonly #answered: Promise<Answered<T>>;

  constructor(answered: Promise<Answered<T>>) {
    this.#answered = answered;
  }

  withResponse(): Promise<Answered<T>> {
    return this.#answered;
  }

  // biome-ignore lint/suspicious/noThenProperty: a call is awaited like the promise it stands for
  then<Value = T, Fallback = never>(
    onData?: ((data: T) => Value | PromiseLike<Value>) | null,
    onFailure?: ((failure: unknown) => Fallback | PromiseLike<Fallback>) | null,
  ): Promise<Value | Fallback> {
    return this.#answered.then(({ data }) => data).then(onData, onFailure);
  }

  catch<Fallback = never>(
    onFailure?: ((failure: unknown) => Fallback | PromiseLike<Fallback>) | null,
  ): Promise<T | Fallback> {
    return this.then(null, onFailure);
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.then().finally(onEnd);
  }
}
