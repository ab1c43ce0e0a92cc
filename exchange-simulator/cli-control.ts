import { parseArgs } from 'node:util';
import { durationMs, Failure, UsageError } from './cli-usage.ts';
import { type FaultName, type FaultRule, faultRules } from './fault-catalogue.ts';
import { tickerFields } from './ticker.ts';

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

const shared = { control: { type: 'string' }, json: { type: 'boolean', default: false } } as const;
const controlVariable = 'EXCHANGE_SIMULATOR_CONTROL';

/** Sends one command to a running simulator and returns what to print. Throws `Failure` and `UsageError`. */
export async function runCommand(command: string, args: readonly string[]): Promise<string> {
  const { call, control, json } = readCommand(command, [...args]);
  const base = control ?? process.env[controlVariable];
  if (base === undefined) throw new UsageError(`give --control URL or set ${controlVariable}`);
  const answer = await ask(base, call);
  return JSON.stringify(answer, undefined, json ? undefined : 2);
}

function readCommand(command: string, args: string[]): { call: Call; control: string | undefined; json: boolean } {
  switch (command) {
    case 'fault':
      return readFaultCommand(args);
    case 'price':
      return readPriceCommand(args);
    default:
      return readSimpleCommand(command, args);
  }
}

function readFaultCommand(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...shared,
      symbol: { type: 'string', multiple: true },
      for: { type: 'string' },
      every: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
    },
  });
  const fault = only('fault', positionals, 'NAME');
  const body = {
    fault,
    symbol: values.symbol,
    forMs: values.for === undefined ? undefined : durationMs('for', values.for),
    everyMs: values.every === undefined ? undefined : durationMs('every', values.every),
    ...Object.fromEntries(values.set.map((assignment) => readAssignment(fault, assignment))),
  };
  const call: Call = { method: 'POST', path: '/faults', body };
  return { call, control: values.control, json: values.json };
}

/** `delayMs=500`: whether the value is a number, a flag or text is in the table of faults. */
function readAssignment(fault: string, assignment: string): [string, string | number | boolean] {
  const split = assignment.indexOf('=');
  if (split < 1) throw new UsageError(`--set takes NAME=VALUE, not "${assignment}"`);
  const [name, value] = [assignment.slice(0, split), assignment.slice(split + 1)];
  const rule: FaultRule | undefined = faultRules[fault as FaultName];
  const type = rule?.parameters[name]?.type;
  if (type === 'integer' && /^-?\d+$/.test(value)) return [name, Number(value)];
  return [name, type === 'flag' && (value === 'true' || value === 'false') ? value === 'true' : value];
}

function readPriceCommand(args: string[]) {
  const options = Object.fromEntries(
    tickerFields.map((field) => [field.replaceAll('_', '-'), { type: 'string' }] as const),
  );
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { ...shared, ...options } });
  const given: Readonly<Record<string, unknown>> = values;
  const symbol = only('price', positionals, 'SYMBOL');
  const fields = tickerFields.map((field) => [field, given[field.replaceAll('_', '-')]]);
  const call: Call = { method: 'POST', path: '/prices', body: { symbol, ...Object.fromEntries(fields) } };
  return { call, control: values.control, json: values.json };
}

function readSimpleCommand(command: string, args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...shared, symbol: { type: 'string' }, reset: { type: 'boolean', default: false } },
  });
  const [argument, extra] = positionals;
  if (extra !== undefined) throw new UsageError(`unexpected "${extra}"`);
  return { call: simpleCall(command, argument, values), control: values.control, json: values.json };
}

function simpleCall(command: string, argument: string | undefined, values: { symbol?: string; reset: boolean }): Call {
  switch (command) {
    case 'clear': {
      const query = values.symbol === undefined ? '' : `?symbol=${encodeURIComponent(values.symbol)}`;
      return { method: 'DELETE', path: `/faults${argument === undefined ? '' : `/${argument}`}${query}` };
    }
    case 'release':
      return { method: 'DELETE', path: `/prices${argument === undefined ? '' : `/${argument}`}` };
    case 'rate':
      if (values.reset) return { method: 'DELETE', path: '/rates' };
      if (argument === undefined) throw new UsageError('rate takes the CZK for one EUR, or --reset');
      return { method: 'POST', path: '/rates', body: { eurCzk: argument } };
    default:
      if (argument !== undefined) throw new UsageError(`unexpected "${argument}"`);
      return { method: 'GET', path: '/state' };
  }
}

function only(command: string, positionals: readonly string[], what: string): string {
  const [first, extra] = positionals;
  if (first === undefined) throw new UsageError(`${command} needs ${what}`);
  if (extra !== undefined) throw new UsageError(`unexpected "${extra}"`);
  return first;
}

async function ask(base: string, { method, path, body }: Call): Promise<unknown> {
  const url = URL.parse(path, base);
  if (url === null) throw new UsageError(`--control is not a URL: ${base}`);
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(url, init).catch(() => {
    throw new Failure(`no answer from ${base}`);
  });
  const answer: unknown = await response.json().catch(() => ({ error: `${base} is not a control API` }));
  if (response.ok) return answer;
  const message = typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : response.status;
  throw new Failure(String(message));
}
