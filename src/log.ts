/** Where every room writes what an operator may want to know. `pino` satisfies it. Fields never hold a secret. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** For callers that want no log. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
