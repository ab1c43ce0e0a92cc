/** The values of which the message of each error is made, by its code. */
export interface ShipErrorValues {
  ship_running: { readonly holder: string };

  'clickhouse_schema.no_database': { readonly database: string };
  'clickhouse_schema.missing': { readonly database: string };
  'clickhouse_schema.not_a_record': { readonly database: string; readonly version: number };
  'clickhouse_schema.other': { readonly database: string; readonly version: number; readonly found: number };
  'clickhouse_schema.column_type': {
    readonly database: string;
    readonly table: string;
    readonly column: string;
    readonly found: string;
    readonly needed: string;
  };
  'clickhouse_schema.distributed': {
    readonly database: string;
    readonly table: string;
    readonly statement: string;
  };

  clickhouse_unreachable: { readonly url: string; readonly cause: string };
  'clickhouse_refused.user': { readonly url: string; readonly user: string };
  'clickhouse_refused.right': { readonly database: string; readonly user: string };
  clickhouse_failed: { readonly serverCode: string; readonly type: string; readonly said: string };

  'record_differs.end': { readonly chain: number; readonly number: number; readonly end: number };
  'record_differs.hash': { readonly chain: number; readonly number: number };
  'record_differs.rows': {
    readonly chain: number;
    readonly first: number;
    readonly last: number;
    readonly table: string;
    readonly found: number;
    readonly expected: number;
  };

  'segment_unproven.missing': { readonly chain: number; readonly number: number };
  'segment_unproven.order': { readonly chain: number; readonly number: number };
  'segment_unproven.changed': { readonly chain: number; readonly number: number };
}

/** Names an error and its message: the reason, followed by a dot and the case where a reason has several. */
export type ShipErrorCode = keyof ShipErrorValues;

type ReasonOf<Code> = Code extends `${infer Reason}.${string}` ? Reason : Code;

/** The record cannot be shipped. The message is for the operator; neither it nor the values hold a secret. */
export class ShipError<Code extends ShipErrorCode = ShipErrorCode> extends Error {
  override readonly name = 'ShipError';
  readonly code: Code;
  /** Stable, snake case: programs rely on it. */
  readonly reason: ReasonOf<Code>;
  readonly values: ShipErrorValues[Code];

  constructor(code: Code, values: ShipErrorValues[Code], message: string) {
    super(message);
    this.code = code;
    this.reason = code.split('.')[0] as ReasonOf<Code>;
    this.values = values;
  }
}
