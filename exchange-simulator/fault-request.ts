import { type FaultName, type FaultRule, faultNames, faultRules, type ParameterRule } from './fault-catalogue.ts';

/** A requested fault: its name, the symbols it names (`BTC/EUR`), how long it lasts, and its own parameters. */
export interface FaultRequest {
  readonly fault: FaultName;
  readonly symbol?: string | readonly string[];
  /** How long it lasts, 1 ms to 24 h. Without it: until it is cleared; an event happens once. */
  readonly forMs?: number;
  /** How often an event with a duration happens; 1000 unless given. */
  readonly everyMs?: number;
  readonly [parameter: string]: unknown;
}

/** A validated fault with all parameters. */
export interface Fault {
  readonly fault: FaultName;
  readonly kind: 'state' | 'event';
  /** `undefined`: all. */
  readonly symbols: readonly string[] | undefined;
  readonly forMs: number | undefined;
  readonly everyMs: number;
  readonly parameters: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** A parameter that is a flag in the table. */
export function flagOf(fault: Fault, name: string): boolean {
  return fault.parameters[name] === true;
}

/** The request is wrong; the message is shown to the caller. */
export class BadRequest extends Error {}

const dayMs = 86_400_000;
const pairSymbol = /^[A-Z0-9.]{1,16}\/[A-Z0-9]{1,16}$/;
const common = ['fault', 'symbol', 'forMs', 'everyMs'];

/** Validates a request against the table of faults and applies the defaults. Throws `BadRequest`. */
export function readFault(request: unknown): Fault {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    throw new BadRequest('expected a JSON object such as {"fault":"freeze"}');
  }
  const given: Partial<FaultRequest> & Readonly<Record<string, unknown>> = { ...request };
  const fault = readFaultName(given.fault);
  const rule: FaultRule = faultRules[fault];
  const unknown = Object.keys(given).find((key) => !common.includes(key) && !Object.hasOwn(rule.parameters, key));
  if (unknown !== undefined) {
    const known = [...Object.keys(rule.parameters), 'forMs'].join(', ');
    throw new BadRequest(`fault "${fault}" has no parameter "${unknown}" (it has: ${known})`);
  }
  const parameters = Object.entries(rule.parameters).map(([name, parameter]) => [
    name,
    readParameter(fault, name, parameter, given[name]),
  ]);
  return {
    fault,
    kind: rule.kind,
    symbols: readSymbols(fault, rule, given.symbol),
    forMs: given.forMs === undefined ? undefined : readInteger('forMs', given.forMs, 1, dayMs),
    everyMs: given.everyMs === undefined ? 1000 : readInteger('everyMs', given.everyMs, 10, dayMs),
    parameters: Object.fromEntries(parameters),
  };
}

export function readFaultName(name: unknown): FaultName {
  const known = faultNames.find((candidate) => candidate === name);
  if (known !== undefined) return known;
  throw new BadRequest(`unknown fault ${JSON.stringify(name)} (known: ${faultNames.join(', ')})`);
}

/** A parameter that is a number in the table. */
export function numberOf(fault: Fault, name: string): number {
  return Number(fault.parameters[name]);
}

/** A parameter that is text or a choice in the table; `undefined` when it was left out. */
export function textOf(fault: Fault, name: string): string | undefined {
  const value = fault.parameters[name];
  return value === undefined ? undefined : String(value);
}

function readSymbols(fault: FaultName, rule: FaultRule, given: unknown): readonly string[] | undefined {
  if (given === undefined) {
    if (rule.symbols === 'required') throw new BadRequest(`fault "${fault}" needs "symbol", for example "BTC/EUR"`);
    return undefined;
  }
  if (rule.symbols === 'none') throw new BadRequest(`fault "${fault}" takes no "symbol"`);
  const symbols: readonly unknown[] = Array.isArray(given) ? given : [given];
  return symbols.map((symbol) => {
    if (typeof symbol === 'string' && pairSymbol.test(symbol)) return symbol;
    throw new BadRequest(`"symbol" must be written like "BTC/EUR", not ${JSON.stringify(symbol)}`);
  });
}

function readParameter(
  fault: string,
  name: string,
  rule: ParameterRule,
  given: unknown,
): string | number | boolean | undefined {
  if (given === undefined) return rule.default;
  switch (rule.type) {
    case 'integer':
      return readInteger(name, given, rule.min, rule.max);
    case 'flag':
      if (typeof given === 'boolean') return given;
      throw new BadRequest(`"${name}" of fault "${fault}" must be true or false`);
    case 'choice':
      if (typeof given === 'string' && rule.of.includes(given)) return given;
      throw new BadRequest(`"${name}" of fault "${fault}" must be one of: ${rule.of.join(', ')}`);
    case 'text':
      if (typeof given === 'string' && rule.pattern.test(given)) return given;
      throw new BadRequest(`"${name}" of fault "${fault}" must be ${rule.form}, in quotes`);
  }
}

function readInteger(name: string, given: unknown, min: number, max: number): number {
  if (typeof given === 'number' && Number.isInteger(given) && given >= min && given <= max) return given;
  throw new BadRequest(`"${name}" must be a whole number from ${min} to ${max}, not ${JSON.stringify(given)}`);
}
