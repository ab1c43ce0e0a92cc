const histogram = { count: 0, percentile: () => 0, enable: () => true, disable: () => true, reset: () => {} };

/** An event loop that is never late: load is no part of the world. */
export const monitorEventLoopDelay = () => histogram;
export const performance = { eventLoopUtilization: () => ({ active: 0, idle: 0, utilization: 0 }) };
