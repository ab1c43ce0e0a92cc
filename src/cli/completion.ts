import { readFileSync } from 'node:fs';
import { type Command, command, commonOptions, type Option } from './command.ts';
import { UsageError } from './failure.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** @param everyCommand gives what is completed: this command is one of them */
export const completionOf = (everyCommand: () => Promise<readonly Command[]>) =>
  command({
    name: 'completion',
    summary: 'print a script that completes command lines of mdapi in a shell',
    positionals: { SHELL: { values: shells, summary: `one of ${shells.join(', ')}` } },
    examples: {
      'source <(mdapi completion bash)': 'in ~/.bashrc; the same with zsh in ~/.zshrc, after compinit',
      'mdapi completion fish': 'to be saved as ~/.config/fish/completions/mdapi.fish',
    },
    async run({ positionals }) {
      const wanted = positionals.SHELL;
      const shell = shells.find((each) => each === wanted);
      if (shell === undefined) {
        throw new UsageError(`There is no completion for ${JSON.stringify(wanted)}, only for ${shells.join(', ')}.`);
      }
      const table = rowsOf(await everyCommand()).map((row) => row.join('\t'));
      const lookUp = `printf '%s\\n' ${quoted(table.join('\n'))} | awk ${quoted(textOf('look-up.awk'))}`;
      const script = textOf(`mdapi.${shell}`).replace('@LOOK_UP@', () => lookUp);
      return { json: { script }, text: script };
    },
  });

/** A word that may follow others: `keys`, then `create` or an option, its summary, and the value an option takes. */
type Row = readonly [after: string, word: string, summary: string, value: string];

/** Rows that follow any words. The files of `completion/` write this and the two below as they are. */
const anywhere = '*';
/** The value of an option: a file, one that cannot be completed, or its words. */
const fileValue = 'FILE';
const unknownValue = '-';

function rowsOf(commands: readonly Command[]): readonly Row[] {
  const nouns = Object.groupBy(commands, ({ name }) => name.split(' ')[0]!);
  const rows: Row[] = [['', 'help', 'show the help of a command', '']];
  for (const [noun, members = []] of Object.entries(nouns)) {
    const verbs = members.map(({ name }) => name.slice(noun.length + 1));
    rows.push(['', noun, verbs[0] === '' ? members[0]!.summary : verbs.join(', '), '']);
    for (const { name, summary, positionals, options } of members) {
      if (name !== noun) rows.push([noun, name.slice(noun.length + 1), summary, '']);
      for (const { values = [], summary } of positionals) {
        rows.push(...values.map((word): Row => [name, word, summary, '']));
      }
      rows.push(...options.map((option) => optionRow(name, option)));
    }
  }
  return [...rows, ...commonOptions.map((option) => optionRow(anywhere, option))];
}

function optionRow(after: string, option: Option): Row {
  return [after, `--${option.name}`, option.summary, takenBy(option)];
}

function takenBy({ value, values }: Option): string {
  if (value === undefined) return '';
  if (value === 'FILE' || value === 'DIR') return fileValue;
  return values?.join(' ') ?? unknownValue;
}

function textOf(name: string): string {
  return readFileSync(new URL(`completion/${name}`, import.meta.url), 'utf8').trimEnd();
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
