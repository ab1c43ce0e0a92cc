/** Kinds of things that operators are told of. */
export const alertEvents = [
  'source',
  'status',
  'prices',
  'record',
  'certificate',
  'keys',
  'service',
  'maintenance',
] as const;
export type AlertEvent = (typeof alertEvents)[number];

export const destinationKinds = ['webhook', 'slack', 'telegram', 'pagerduty', 'mail'] as const;
