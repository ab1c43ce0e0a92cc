/** What was asked for cannot be done; exit code 1. */
export class Failure extends Error {}

/** The command line itself is wrong; exit code 2. */
export class UsageError extends Error {}
