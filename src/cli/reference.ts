import { type Command, commonOptions, type Option } from './command.ts';
import { sections } from './commands.ts';
import { exitCodeMeanings } from './failure.ts';
import { spelling, usageOf } from './help.ts';
import { yesOption } from './store-command.ts';
import { instantForms } from './values.ts';

const introduction = `# Command line

<!-- Generated from the commands in src/cli. Change those and run \`npm run generate\`. -->

In a checkout run \`npx mdapi COMMAND\` or \`node bin/mdapi.js COMMAND\`, with any Node since 18: the pinned runtime is found automatically.
\`mdapi help COMMAND\` shows the same as this page.

- **Running servers follow by themselves.** Commands write to the database; servers apply the change within a second.
- **Data goes to stdout, everything else to stderr.** With \`--json\` stdout is exactly one JSON object (\`watch\` prints one a line), also for a failure:
  \`{"error":{"reason":"account_unknown","message":"…","exitCode":4}}\`. Rely on \`reason\` or on the exit code, not on the message.
- **The JSON is that of the management API.** Whatever is created or changed carries its \`id\`, a new key also its text as \`key\`. Instants come in two
  forms (\`createdAt\`, \`createdAtMs\`), and a missing value is null.
- **Questions** are asked only at a terminal, before \`keys revoke\`, \`accounts deactivate\`, \`markets delist\` and \`admin revoke\`; \`--yes\` answers in advance.
- **INSTANT** is one of: ${instantForms}.
- **Secrets are never arguments**, and no command prints one, except a new key or token, once.
- **Colours** appear only on a terminal, and not with \`NO_COLOR\` set.
`;

/** `docs/cli.md`, from the commands' own declarations. */
export function commandReference(): string {
  const common = `## Options of every command\n\n${optionTable(commonOptions)}`;
  const codes = [...exitCodeMeanings].map(([code, meaning]) => `| ${code} | ${meaning} |`);
  const exitCodes = `## Exit codes\n\n| code | meaning |\n| --- | --- |\n${codes.join('\n')}\n`;
  const chapters = sections.map(({ title, commands }) => `## ${title}\n\n${commands.map(commandSection).join('\n')}`);
  return [introduction, common, exitCodes, ...chapters].join('\n');
}

/** What the introduction or the usage line already says is left out: `--yes`, and examples without options. */
function commandSection(command: Command): string {
  const options = (command.options ?? []).filter((option) => option !== yesOption);
  const summary = `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`;
  const examples = options.length === 0 ? [] : command.examples.map(({ line, note }) => `${line}  # ${note}`);
  return [
    `### \`mdapi ${command.name}\`\n`,
    `${[summary, ...(command.details ?? [])].join('\n\n')}\n`,
    `\`\`\`sh\n${[usageOf(command), ...examples].join('\n')}\n\`\`\`\n`,
    ...(options.length === 0 ? [] : [optionTable(options)]),
  ].join('\n');
}

function optionTable(options: readonly Option[]): string {
  const lines = options.map(
    (option) => `| \`${spelling(option)}\` | ${option.summary}${option.required ? ' (required)' : ''} |`,
  );
  return `| | |\n| --- | --- |\n${lines.join('\n')}\n`;
}
