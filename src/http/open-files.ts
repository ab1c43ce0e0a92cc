/** Connections the system accepts beyond the bound, so that a client can take the place of an idle one. */
export const acceptedBeyondMax = 64;
/** Sockets to upstreams, database, Redis and operators, and files of the database, some to spare. */
const ownFiles = 96;

/** How many files and sockets this process may have open; `undefined` where that is not bounded. */
export function openFilesLimit(): number | undefined {
  const report = process.report?.getReport() as { userLimits?: { open_files?: { soft?: unknown } } } | undefined;
  const soft = Number(report?.userLimits?.open_files?.soft);
  return Number.isInteger(soft) ? soft : undefined;
}

/** How many files a process may need that has so many connections of clients. */
export function openFilesFor(maxConnections: number): number {
  return maxConnections + acceptedBeyondMax + ownFiles;
}

/**
 * So many of the configured connections of clients as leave files for the private listener and the upstreams, at least
 * 1: with none left nothing could be accepted or opened, and operators could not even see why.
 *
 * @param limit see {@link openFilesLimit}
 */
export function connectionsWithin(maxConnections: number, limit: number | undefined): number {
  if (limit === undefined) return maxConnections;
  return Math.max(1, Math.min(maxConnections, limit - acceptedBeyondMax - ownFiles));
}
