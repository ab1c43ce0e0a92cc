import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentSchemas } from './document-schemas.testing.ts';
import { openApiDocument } from './openapi.ts';
import { ticker } from './openapi-examples.ts';
import { publicMarketStatuses, publicServiceStatuses } from './schemas.ts';

/** The contract's tables of fields: name, type, and whether it is always there. */
const contractTables = `
ServerTime
| serverTime | string | yes |
| serverTimeMs | integer (int64) | yes |

ServiceStatus
| status | PublicServiceStatus | yes |
| api | PublicServiceStatus | yes |
| components | object | yes |
| components.ticker | PublicServiceStatus | yes |
| maintenance | MaintenanceWindow or null | yes |
| lastUpdatedAt | string or null | yes |
| lastUpdatedAtMs | integer (int64) or null | yes |
| serverTime | string | yes |
| serverTimeMs | integer (int64) | yes |

MaintenanceWindow
| from | string | yes |
| fromMs | integer (int64) | yes |
| to | string | yes |
| toMs | integer (int64) | yes |
| description | string | yes |

Market
| symbol | string | yes |
| base | string | yes |
| quote | string | yes |
| status | PublicMarketStatus | yes |
| pricePrecision | integer (int32) | yes |
| amountPrecision | integer (int32) | yes |
| tickSize | string | yes |
| minOrderSize | string | yes |
| minOrderValue | string | no |

Ticker
| symbol | string | yes |
| base | string | yes |
| quote | string | yes |
| buyPrice | string | yes |
| sellPrice | string | yes |
| high24h | string | yes |
| low24h | string | yes |
| volume24h | string | yes |
| vwap24h | string | no |
| priceChangePercent1h | string | no |
| priceChangePercent24h | string | no |
| priceChangePercent7d | string | no |
| timestamp | string | yes |
| timestampMs | integer (int64) | yes |

Problem
| type | string | yes |
| title | string | yes |
| status | integer (int32) | yes |
| code | ErrorCode | yes |
| detail | string | yes |
| requestId | string | yes |`;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | object;
  readonly description?: string;
}

const document = openApiDocument({ baseUrl: 'https://api.example.com', errorsUrl: 'https://api.example.com/errors' });
const schemaOf = (name: string) => document.components.schemas[name] as Schema;
const asClient = documentSchemas(document, 'asClient');

/** A schema in the words of the contract's tables. */
function typeName(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice('#/components/schemas/'.length);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeName).join(' or ');
  const [type, alternative] = [schema.type].flat();
  const format = type === 'integer' ? ` (${schema.format})` : '';
  return `${type}${format}${alternative === undefined ? '' : ` or ${alternative}`}`;
}

/** Rows of the object's fields, those of nested objects with a dot. */
function rowsOf(schema: Schema, prefix = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    `| ${prefix}${name} | ${typeName(field)} | ${schema.required?.includes(name) ? 'yes' : 'no'} |`,
    ...rowsOf(field, `${prefix}${name}.`),
  ]);
}

for (const table of contractTables.trim().split('\n\n')) {
  const [name, ...rows] = table.split('\n');
  test(`${name} has the fields of the contract, in its order, with its types, and requires the same ones`, () => {
    assert.deepEqual(rowsOf(schemaOf(name!)), rows);
  });
}

test('both lists hold what their path promises', () => {
  const items = (list: string, member: string) => (schemaOf(list).properties![member] as { items: Schema }).items;
  assert.equal(typeName(items('MarketList', 'markets')), 'Market');
  assert.equal(typeName(items('TickerList', 'tickers')), 'Ticker');
});

test('the enumerations have the values of the contract', () => {
  assert.deepEqual(publicMarketStatuses, ['trading', 'paused', 'delisted']);
  assert.deepEqual(publicServiceStatuses, ['operational', 'degraded', 'outage', 'maintenance']);
});

test('a status that is not known yet is valid for a client, a malformed one is not', () => {
  for (const name of ['PublicMarketStatus', 'PublicServiceStatus']) {
    const schema = { $ref: `#/components/schemas/${name}` };
    assert.deepEqual(asClient(schema, 'auction_only'), []);
    for (const wrong of ['', 'Not A Status', 7, null]) assert.notDeepEqual(asClient(schema, wrong), [], `${wrong}`);
  }
});

test('every field says what it means', () => {
  const silentIn = (schema: Schema, at: string): readonly string[] => {
    const isSilent = (schema.description ?? '') === '' && schema.$ref === undefined;
    const fields = Object.entries(schema.properties ?? {});
    return [...(isSilent ? [at] : []), ...fields.flatMap(([name, field]) => silentIn(field, `${at}.${name}`))];
  };
  const silent = Object.keys(document.components.schemas).flatMap((name) => silentIn(schemaOf(name), name));
  assert.deepEqual(silent, []);
});

function faultsWith(change: Record<string, unknown>): readonly string[] {
  return asClient({ $ref: '#/components/schemas/Ticker' }, { ...ticker, ...change });
}

test('a price is a plain decimal string without a sign and never a number', () => {
  for (const right of ['0', '0.1', '84631.20', '1']) assert.deepEqual(faultsWith({ buyPrice: right }), []);
  for (const wrong of ['', '-1', '+1', '01', '1.', '.5', '1e3', '1,5', 'NaN', ' 1', '1 ', '٣', 84631.2, null]) {
    assert.notDeepEqual(faultsWith({ buyPrice: wrong }), [], `${wrong}`);
  }
});

test('a change in percent has two decimals, may be negative, and carries no plus and no percent sign', () => {
  for (const right of ['0.21', '-1.05', '0.00', '120.50'])
    assert.deepEqual(faultsWith({ priceChangePercent1h: right }), []);
  for (const wrong of ['0.2', '0.211', '+0.21', '0.21%', '00.21', '1', 0.21, null]) {
    assert.notDeepEqual(faultsWith({ priceChangePercent1h: wrong }), [], `${wrong}`);
  }
});

test('an instant is a date and time, and its number is not negative', () => {
  for (const wrong of ['2026-11-21', '2026-13-21T10:00:00.000Z', '10:00:00.000Z', 1795255200123, null]) {
    assert.notDeepEqual(faultsWith({ timestamp: wrong }), [], `${wrong}`);
  }
  for (const wrong of [-1, 1.5, '1795255200123', null]) assert.notDeepEqual(faultsWith({ timestampMs: wrong }), []);
});

test('an optional field may be absent but not null, and a client accepts fields it does not know', () => {
  const { vwap24h: _, ...without } = ticker;
  assert.deepEqual(asClient({ $ref: '#/components/schemas/Ticker' }, without), []);
  assert.notDeepEqual(faultsWith({ vwap24h: null }), []);
  assert.deepEqual(faultsWith({ addedLater: 'x' }), []);
});

test('every object but a problem says that properties can be added, for generators whose decoders are strict', () => {
  const objectsIn = (schema: Schema): readonly Schema[] => [
    ...(schema.type === 'object' ? [schema] : []),
    ...Object.values(schema.properties ?? {}).flatMap(objectsIn),
  ];
  const names = Object.keys(document.components.schemas).filter((name) => name !== 'Problem');
  const closed = names.filter((name) => objectsIn(schemaOf(name)).some((one) => !one.additionalProperties));
  assert.deepEqual(closed, []);
});

test('a problem takes no further property', () => {
  assert.equal(schemaOf('Problem').additionalProperties, false);
});
