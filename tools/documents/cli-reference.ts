import { readFileSync } from 'node:fs';
import { type Command, commonOptions, type Option } from '../../src/cli/command.ts';
import { loadSections } from '../../src/cli/commands.ts';
import { exitCodeMeanings } from '../../src/cli/failure.ts';
import { spelling, usageOf } from '../../src/cli/help.ts';
import { spanOptions } from '../../src/cli/record.ts';
import { yes } from '../../src/cli/store-command.ts';
import { instantForms } from '../../src/cli/values.ts';

const sections = await loadSections();

/** `docs/cli.md`, from the commands' own declarations. */
export function commandReference(): string {
  const text = readFileSync(new URL('cli-introduction.txt', import.meta.url), 'utf8');
  const introduction = text.replace('@INSTANT_FORMS@', instantForms);
  const common = `## Options of every command\n\n${definitions(commonOptions.map(optionRow))}`;
  const codes = Object.entries(exitCodeMeanings).map(([code, meaning]) => `- ${code}: ${meaning}`);
  const exitCodes = `## Exit codes\n\n${codes.join('\n')}\n`;
  const chapters = sections.map(({ title, commands }) => `## ${title}\n\n${commands.map(commandSection).join('\n')}`);
  return [introduction, common, exitCodes, ...chapters].join('\n');
}

/** Leaves out what the introduction or the heading already says, and the examples, which help shows. */
function commandSection(command: Command): string {
  const options = command.options.filter((option) => !isSaidOnce(option));
  const optional = command.positionals.filter(({ many }) => many === true);
  const rows = [...optional.map(({ name, summary }) => [name, summary] as const), ...options.map(optionRow)];
  const summary = `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`;
  const heading = usageOf({ ...command, options: command.options.filter(isUsualYes) }).slice('mdapi '.length);
  return [
    `### \`${heading}\`\n`,
    `${[summary, ...(command.details ?? [])].join('\n\n')}\n`,
    ...(rows.length === 0 ? [] : [definitions(rows)]),
  ].join('\n');
}

/** Whether the introduction describes an option, for all commands that have it: the usual `--yes`, and spans. */
function isSaidOnce(option: Option): boolean {
  const { from, to } = spanOptions;
  return isUsualYes(option) || option.summary === from.summary || option.summary === to.summary;
}

function isUsualYes({ name, summary }: Option): boolean {
  return name === 'yes' && summary === yes.summary;
}

function optionRow(option: Option): readonly [string, string] {
  return [spelling(option), `${option.summary}${option.required ? ' (required)' : ''}`];
}

function definitions(rows: readonly (readonly [string, string])[]): string {
  return `${rows.map(([name, text]) => `- \`${name}\`: ${text}`).join('\n')}\n`;
}
