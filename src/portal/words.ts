const months = 'January February March April May June July August September October November December'.split(' ');

/** `21 November 2026, 10:00:00 UTC`, for whole epoch milliseconds. */
export function instantInWords(epochMs: number): string {
  const date = new Date(epochMs);
  const time = date.toISOString().slice(11, 19);
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${time} UTC`;
}

const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const;

/** `3 hours 12 minutes`: the two largest units, rounded down. Below a second, and below zero, `less than a second`. */
export function durationInWords(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1_000);
  const first = units.findIndex((unit) => seconds >= unit.seconds);
  if (first === -1) return 'less than a second';
  const [large, small] = units.slice(first, first + 2);
  const count = Math.floor(seconds / large!.seconds);
  const rest = small === undefined ? 0 : Math.floor((seconds % large!.seconds) / small.seconds);
  return rest === 0 ? counted(count, large!.name) : `${counted(count, large!.name)} ${counted(rest, small!.name)}`;
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** `every 5 seconds`, `every hour`; `once at start` where there is no interval. */
export function intervalInWords(intervalMs: number | undefined): string {
  return intervalMs === undefined ? 'once at start' : `every ${durationInWords(intervalMs)}`.replace(' 1 ', ' ');
}
