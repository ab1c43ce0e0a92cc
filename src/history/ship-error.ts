export type ShipErrorReason =
  | 'clickhouse_unreachable'
  | 'clickhouse_refused'
  | 'clickhouse_schema'
  | 'clickhouse_failed'
  | 'record_differs'
  | 'segment_unproven'
  | 'ship_running';

/** The record cannot be shipped. The message is for the operator and holds no secret. */
export class ShipError extends Error {
  override readonly name = 'ShipError';
  readonly reason: ShipErrorReason;

  constructor(reason: ShipErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
