/** What the process ends with. Stable: scripts decide on it. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  wrongUsage: 2,
  configurationRefused: 3,
  notFound: 4,
  refused: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** In the order of the help. */
export const exitCodeMeanings: ReadonlyMap<ExitCode, string> = new Map([
  [exitCodes.ok, 'done'],
  [exitCodes.failure, 'failed: the database, the network, the disk, or the question was not answered with y'],
  [exitCodes.wrongUsage, 'wrong usage: a command, an option or a value that cannot be'],
  [exitCodes.configurationRefused, 'configuration refused; every problem is listed'],
  [exitCodes.notFound, 'the account, key, window, market or database does not exist'],
  [exitCodes.refused, 'refused by a rule, such as a second account with the same e-mail address'],
]);
