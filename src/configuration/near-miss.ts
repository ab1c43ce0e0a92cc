/**
 * The candidate a person most likely meant, or `undefined` when none is close. Case, `_` and `-` do
 * not count as differences; beyond that, one slip (a letter wrong, missing, extra, or two swapped)
 * per three letters is forgiven.
 */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(written);
  let best: string | undefined;
  let fewestSlips = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const slips = slipsBetween(wanted, plain(candidate));
    if (slips < fewestSlips) {
      best = candidate;
      fewestSlips = slips;
    }
  }
  return best;
}

/** ` Did you mean "x"?` with a leading space, or nothing. */
export function didYouMean(written: string, candidates: Iterable<string>): string {
  const candidate = nearest(written, candidates);
  return candidate === undefined ? '' : ` Did you mean "${candidate}"?`;
}

function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** Optimal string alignment distance; long words are not compared, nobody mistypes those by a letter. */
function slipsBetween(left: string, right: string): number {
  if (left.length > 64 || right.length > 64) return left === right ? 0 : Number.POSITIVE_INFINITY;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let slips = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + (same ? 0 : 1));
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) slips = Math.min(slips, beforePrevious[column - 2]! + 1);
      current.push(slips);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length]!;
}
