import { readFileSync } from 'node:fs';
import { type Command, command, commonOptions, type Option } from './command.ts';
import { failure } from './failure.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** @param commands asked for when it runs, for it is one of them */
export const completionOf = (commands: () => readonly Command[]) =>
  command('completion', async (input) => {
    const wanted = input.argument('SHELL');
    const shell = shells.find((each) => each === wanted);
    if (shell === undefined)
      throw failure('shell_unknown', { wanted: JSON.stringify(wanted), shells: shells.join(', ') });
    const table = rowsOf(commands()).map((row) => row.join('\t'));
    const lookUp = `printf '%s\\n' ${quoted(table.join('\n'))} | awk ${quoted(textOf('look-up.awk'))}`;
    const script = textOf(`mdapi.${shell}`).replace('@LOOK_UP@', () => lookUp);
    return { json: { script }, text: script };
  });

/** A word that may follow others: `keys`, then `create` (or an option), its summary, and the value that an option takes. */
type Row = readonly [after: string, word: string, summary: string, value: string];

/** Rows that follow any words. The files of `completion/` write this and the two below as they are. */
const anywhere = '*';
/** The value of an option: a file, one that cannot be completed, or its words. */
const fileValue = 'FILE';
const unknownValue = '-';

function rowsOf(commands: readonly Command[]): readonly Row[] {
  const groups = Object.groupBy(commands, ({ name }) => name.split(' ')[0]!);
  const rows: Row[] = [['', 'help', 'show the help of a command', '']];
  for (const [group, members = []] of Object.entries(groups)) {
    const verbs = members.map(({ name }) => name.slice(group.length + 1));
    rows.push(['', group, verbs[0] === '' ? members[0]!.summary : verbs.join(', '), '']);
    for (const { name, summary, positionals = [], options = [] } of members) {
      if (name !== group) rows.push([group, name.slice(group.length + 1), summary, '']);
      for (const { values = [], summary } of positionals)
        rows.push(...values.map((word): Row => [name, word, summary, '']));
      rows.push(...options.map((option) => optionRow(name, option)));
    }
  }
  return [...rows, ...commonOptions.map((option) => optionRow(anywhere, option))];
}

function optionRow(after: string, { name, summary, value, values }: Option): Row {
  const isFile = value === 'FILE' || value === 'DIR';
  const taken = value === undefined ? '' : isFile ? fileValue : (values?.join(' ') ?? unknownValue);
  return [after, `--${name}`, summary, taken];
}

function textOf(name: string): string {
  return readFileSync(new URL(`completion/${name}`, import.meta.url), 'utf8').trimEnd();
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
