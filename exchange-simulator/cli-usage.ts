import { dialectNames } from './dialects.ts';
import { type FaultRule, faultRules, type ParameterRule } from './fault-catalogue.ts';

const general = `Simulates exchanges: their public REST and WebSocket protocols, a random market, faults on demand.

Usage: npm run simulator -- [run] [options]
  --dialect A,B      whose protocol it speaks: ${dialectNames.join(', ')} (default kraken).
                     Several listen on consecutive ports and quote the same market a little apart
  --port N           port of REST and WebSocket (default 0: any free port)
  --control-port N   port of the control API, on 127.0.0.1 (default 0)
  --rates-port N     port of the rate sources CNB, ECB and JSON (default 0)
  --host ADDRESS     address to listen on (default 127.0.0.1)
  --updates N        changes of bid or ask a second over all markets, 0 to 100000 (default 100)
  --markets N        how many markets, 1 to 20000 (default: the recorded ones)
  --quotes A,B       quote currencies to keep, for example EUR (default: all)
  --seed N           seed of the market; the same seed repeats it (default 1)
  --json             print the addresses as one JSON object
  --with-parent      stop when standard input is closed

Usage: npm run simulator -- COMMAND --control URL
  fault NAME [--symbol S]... [--for 30s] [--every 1s] [--set PARAMETER=VALUE]...
  clear [NAME] [--symbol S]         switch one fault off, or all
  price SYMBOL --bid P --ask P      set prices, digit for digit (also --last, --high, --low, --vwap,
                                    --volume, --change, --change-pct, --trades, --bid-qty, --ask-qty)
  release [SYMBOL]                  let one market, or all, move freely again
  rate CZK | rate --reset           set CZK for one EUR in all rate sources
  state                             connections, subscriptions, requests, active faults
  faults                            list all faults (needs no --control)

The variable EXCHANGE_SIMULATOR_CONTROL can hold the URL instead of --control.
--json prints one line. Exit codes: 0 done, 1 failed, 2 wrong usage.`;

/** The help text; `faults` and `fault` have their own. */
export function usage(command: string): string {
  return command === 'faults' || command === 'fault' ? faultsHelp() : general;
}

function faultsHelp(): string {
  const faults = Object.entries(faultRules).map(([name, rule]: [string, FaultRule]) => {
    const symbol = { none: '', optional: ' [--symbol S]', required: ' --symbol S' }[rule.symbols];
    const parameters = Object.entries(rule.parameters).map(([key, parameter]) => ` [--set ${key}=${form(parameter)}]`);
    const kind = rule.kind === 'event' ? 'Happens once, or every --every within --for. ' : '';
    return `  ${name}${symbol}${parameters.join('')}\n      ${kind}${rule.seen}`;
  });
  return ['Usage: npm run simulator -- fault NAME [--for 30s] --control URL', '', ...faults].join('\n');
}

function form(rule: ParameterRule): string {
  const fallback = rule.default === undefined ? '' : ` (${rule.default})`;
  switch (rule.type) {
    case 'integer':
      return `${rule.min}..${rule.max}${fallback}`;
    case 'choice':
      return `${rule.of.join('|')}${fallback}`;
    case 'flag':
      return `true|false${fallback}`;
    case 'text':
      return `TEXT${fallback}`;
  }
}

/** The command failed; exit code 1. */
export class Failure extends Error {}

/** The command line is not valid; exit code 2. */
export class UsageError extends Error {}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A duration such as `500ms`, `30s`, `5m` or `2h` in milliseconds. Throws `UsageError`. */
export function durationMs(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new UsageError(`--${option} takes a duration such as 500ms, 30s, 5m or 2h, not "${text}"`);
  }
  return Number(count) * unitsMs[unit]!;
}

/** A whole number within bounds; `undefined` stays so. Throws `UsageError`. */
export function wholeNumber(option: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new UsageError(`--${option} takes a whole number from ${min} to ${max}, not "${text}"`);
}
