/** Where this room writes what an operator may want to know. `pino` satisfies it. Fields hold no address, password or key. */
export interface NoticeLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
