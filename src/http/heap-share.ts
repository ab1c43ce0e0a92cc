import { getHeapStatistics } from 'node:v8';

/**
 * Which part of the heap that the runtime may use is in use, 0 to 1. It holds what was not collected yet too, but the
 * runtime collects the harder the nearer it comes to its limit: what stays near the limit is in use indeed. At the
 * limit the process ends.
 */
export function heapShare(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}
