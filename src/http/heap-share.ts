import { getHeapStatistics } from 'node:v8';

/**
 * The share of the heap limit that is in use, 0 to 1. It includes garbage, but the closer the runtime comes to its limit the
 * more it collects: what stays near the limit is in use. At the limit the process ends.
 */
export function heapShare(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}
