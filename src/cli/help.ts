import { type Command, commonOptions, type Option } from './command.ts';
import type { Section } from './commands.ts';
import { exitCodeMeanings } from './failure.ts';
import { instantForms } from './values.ts';

const lineWidth = 100;

/** `mdapi keys create --account ID [--label TEXT]`, without the common options. */
export function usageOf(command: Command): string {
  const positionals = command.positionals.map(({ name, many, isOptional }) => {
    if (many === true) return `[${name}…]`;
    return isOptional === true ? `[${name}]` : name;
  });
  const options = command.options.map((option) => {
    const spelt = option.many === true ? `${spelling(option)} …` : spelling(option);
    return option.required === true ? spelt : `[${spelt}]`;
  });
  return ['mdapi', command.name, ...positionals, ...options].join(' ');
}

/** `--label TEXT` */
export function spelling({ name, value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

const commonHelp = `Every command\n${twoColumns(commonOptions.map((option) => [spelling(option), option.summary]))}`;

/** The text of `mdapi` and `mdapi help`. */
export function overview(sections: readonly Section[]): string {
  const lists = sections.map(({ title, commands }) => {
    return `${title}\n${twoColumns(commands.map((command) => [command.name, command.summary]))}`;
  });
  return [
    'mdapi: client prices of an exchange, over HTTP',
    'Usage: mdapi COMMAND [OPTIONS]',
    ...lists,
    commonHelp,
    `Exit codes\n${twoColumns(Object.entries(exitCodeMeanings))}`,
    'More: mdapi help COMMAND, such as `mdapi help keys create`',
  ].join('\n\n');
}

/** The text of `mdapi help keys`. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  return [
    `Usage: mdapi ${group} COMMAND [OPTIONS]`,
    twoColumns(commands.map((command) => [usageOf(command).slice('mdapi '.length), command.summary])),
    `More: mdapi help ${group} COMMAND`,
  ].join('\n\n');
}

/** The text of `mdapi keys create --help`. An option and its value stay on one line. */
export function commandHelp(command: Command): string {
  const positionals = command.positionals.map(({ name, summary }) => [name, summary] as const);
  const options = command.options.map((option) => [spelling(option), option.summary] as const);
  const examples = Object.entries(command.examples).map(([line, note]) => `  ${line}\n      ${note}`);
  const takesInstant = command.options.some(({ value }) => value === 'INSTANT');
  return [
    `mdapi ${command.name}: ${command.summary}`,
    wrap(`Usage: ${usageOf(command)}`.replaceAll(/(--\w+) /g, '$1\u00a0'), '').replaceAll('\u00a0', ' '),
    ...(command.details ?? []).map((paragraph) => wrap(paragraph, '')),
    ...(positionals.length + options.length > 0 ? [twoColumns([...positionals, ...options])] : []),
    ...(takesInstant ? [`INSTANT is one of: ${instantForms}`] : []),
    commonHelp,
    `Examples\n${examples.join('\n')}`,
  ].join('\n\n');
}

/** A name too wide for its column has its text on the lines below. */
function twoColumns(rows: readonly (readonly [string, string])[]): string {
  const widths = rows.map(([name]) => name.length).filter((width) => width <= 30);
  const indent = ' '.repeat(Math.max(0, ...widths) + 4);
  return rows
    .map(([name, text]) => {
      const wrapped = wrap(text, indent);
      const fits = name.length + 4 <= indent.length;
      return fits ? `  ${name}`.padEnd(indent.length) + wrapped.trimStart() : `  ${name}\n${wrapped}`;
    })
    .join('\n');
}

function wrap(text: string, indent: string): string {
  // A word that is too long for a line has one of its own.
  const lines = new RegExp(`[^ ].{0,${lineWidth - indent.length - 1}}(?= |$)|[^ ]+`, 'g');
  return Array.from(text.matchAll(lines), ([line]) => indent + line).join('\n');
}
