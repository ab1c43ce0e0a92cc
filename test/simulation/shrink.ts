/**
 * Leaves out what is not needed for a failure: halves first, then smaller parts. @param fails runs a part; at most
 * `runsMax` times
 */
export async function shrink<Item>(
  items: readonly Item[],
  fails: (part: readonly Item[]) => Promise<boolean>,
  runsMax: number,
): Promise<readonly Item[]> {
  let left = items;
  let runs = 0;
  for (
    let size = Math.ceil(left.length / 2);
    size >= 1 && runs < runsMax;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < left.length && runs < runsMax; ) {
      const part = [...left.slice(0, at), ...left.slice(at + size)];
      runs++;
      if (await fails(part)) left = part;
      else at += size;
    }
  }
  return left;
}
