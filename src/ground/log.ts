/** Where every room writes what an operator may want to know. `pino` satisfies it. Fields never hold a secret. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The same log, with these fields in every line. */
export function logWith(log: Log, more: object): Log {
  return {
    debug: (fields, message) => log.debug({ ...more, ...fields }, message),
    info: (fields, message) => log.info({ ...more, ...fields }, message),
    warn: (fields, message) => log.warn({ ...more, ...fields }, message),
    error: (fields, message) => log.error({ ...more, ...fields }, message),
  };
}

/** For callers that want no log. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Makes a function that runs work which is repeated. The work's failures do not leave it: `tell` hears of the first of
 * several in a row, and `recovered` of the success that ends them.
 */
export function tellingOnce(
  tell: (error: unknown) => void,
  recovered?: () => void,
): (work: () => Promise<void>) => Promise<void> {
  let isFailing = false;
  return async (work) => {
    try {
      await work();
      if (isFailing) recovered?.();
      isFailing = false;
    } catch (error) {
      if (!isFailing) tell(error);
      isFailing = true;
    }
  };
}
