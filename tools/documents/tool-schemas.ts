import { openApiDocument } from '../../src/contract/openapi.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What a reader of a schema needs; bounds and examples would only be read by an assistant, at a cost. */
const kept = ['type', 'description', 'required', 'properties', 'items', 'anyOf', 'oneOf'];

/** The bodies that the tools of the MCP server give, from the contract, each in one piece and open for more fields. */
export function toolSchemas(): object {
  const address = 'https://api.example.com';
  const { components } = openApiDocument({ baseUrl: address, errorsUrl: `${address}/errors` });
  const known = components.schemas as unknown as Readonly<Record<string, Schema>>;
  const names = ['ServerTime', 'ServiceStatus', 'MarketList', 'Ticker', 'TickerList'];
  return Object.fromEntries(names.map((name) => [name, inOnePiece(known[name]!, known)]));
}

function inOnePiece(schema: Schema, known: Readonly<Record<string, Schema>>): Schema {
  const { $ref, ...own } = schema;
  const whole = typeof $ref === 'string' ? { ...known[$ref.split('/').at(-1)!], ...own } : own;
  const members = Object.entries(whole).filter(([name]) => kept.includes(name));
  return Object.fromEntries(members.map(([name, value]) => [name, pieceOf(name, value, known)]));
}

function pieceOf(name: string, value: unknown, known: Readonly<Record<string, Schema>>): unknown {
  if (name === 'items') return inOnePiece(value as Schema, known);
  if (name === 'anyOf' || name === 'oneOf') return (value as Schema[]).map((each) => inOnePiece(each, known));
  if (name !== 'properties') return value;
  const fields = Object.entries(value as Readonly<Record<string, Schema>>);
  return Object.fromEntries(fields.map(([field, schema]) => [field, inOnePiece(schema, known)]));
}
