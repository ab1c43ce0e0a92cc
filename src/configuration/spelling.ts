/**
 * The candidate most likely meant, or `undefined` when none is close. Case, `_` and `-` do not count as differences;
 * beyond that, one edit (a letter wrong, missing, extra, or two swapped) per three letters is allowed.
 */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(written);
  const distanceMax = Math.max(1, Math.floor(wanted.length / 3));
  const near = [...candidates]
    .map((candidate) => ({ candidate, distance: editDistance(wanted, plain(candidate)) }))
    .filter(({ distance }) => distance <= distanceMax);
  return near.sort((one, other) => one.distance - other.distance)[0]?.candidate;
}

/** ` Did you mean "x"?` with a leading space, or nothing. */
export function didYouMean(written: string, candidates: Iterable<string>): string {
  const candidate = nearest(written, candidates);
  return candidate === undefined ? '' : ` Did you mean "${candidate}"?`;
}

function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** Optimal string alignment distance. Long words are not compared: those are rarely mistyped by a letter. */
function editDistance(left: string, right: string): number {
  if (left.length > 64 || right.length > 64) return left === right ? 0 : Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row++) {
    const [current, above] = [[row], rows[row - 1]!];
    for (let column = 1; column <= right.length; column++) {
      const replaced = above[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = isSwap ? rows[row - 2]![column - 2]! + 1 : replaced;
      current.push(Math.min(above[column]! + 1, current[column - 1]! + 1, replaced, swapped));
    }
    rows.push(current);
  }
  return rows.at(-1)!.at(-1)!;
}
