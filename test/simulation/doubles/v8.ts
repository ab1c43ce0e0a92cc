/** A heap that is never full. */
export const getHeapStatistics = () => ({ heap_size_limit: 1_000, total_heap_size: 1, used_heap_size: 1 });
