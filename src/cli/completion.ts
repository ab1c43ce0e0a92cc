import { type Command, commonOptions, type Option } from './command.ts';
import { UsageError } from './failure.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** @param commands asked for when it runs, for it is one of them */
export const completionOf = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'print a script that completes command lines of mdapi in a shell',
  positionals: [{ name: 'SHELL', summary: `one of ${shells.join(', ')}`, values: shells }],
  examples: {
    'source <(mdapi completion bash)': 'in ~/.bashrc; the same with zsh in ~/.zshrc, after compinit',
    'mdapi completion fish': 'to be saved as ~/.config/fish/completions/mdapi.fish',
  },
  async run(input) {
    const wanted = input.argument('SHELL');
    const shell = shells.find((each) => each === wanted);
    if (shell === undefined) {
      throw new UsageError(`There is no completion for ${JSON.stringify(wanted)}, only for ${shells.join(', ')}.`);
    }
    const table = rowsOf(commands()).map((row) => row.join('\t'));
    const script = scripts[shell](`printf '%s\\n' ${quoted(table.join('\n'))} | awk ${quoted(lookUp)}`);
    return { json: { script }, text: script };
  },
});

/** A word that may follow others: `keys`, then `create` (or an option), its summary, and the value that an option takes. */
type Row = readonly [after: string, word: string, summary: string, value: string];

/** Rows that follow any words. */
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

/**
 * An awk program: reads the rows, takes the words before the one to complete as arguments, and prints what may come next,
 * with its summary. The values of options are not part of the command's name.
 */
const lookUp = `
BEGIN { FS = "\t"; for (i = 1; i < ARGC; i++) { typed[i] = ARGV[i]; ARGV[i] = "" } }
{ after[NR] = $1; next_words[NR] = $2 FS $3; known[$1 == "" ? $2 : $1 " " $2] }
$4 != "" { takes[$2] = $4 }
END {
  for (i = 1; i < ARGC; i++) {
    if (before in takes) { before = ""; continue }
    before = typed[i]
    longer = place == "" ? before : place " " before
    if (longer in known && before != "help") place = longer
  }
  if (!(before in takes)) {
    for (i = 1; i <= NR; i++) if (after[i] == place || after[i] == "${anywhere}") print next_words[i]
  } else if (takes[before] != "${unknownValue}") {
    count = split(takes[before], values, " ")
    for (i = 1; i <= count; i++) print values[i]
  }
}`;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const scripts: Readonly<Record<(typeof shells)[number], (look: string) => string>> = {
  bash: (look) => `# Completion of mdapi in bash: source <(mdapi completion bash)
_mdapi_words() {
  ${look} "$@"
}
_mdapi() {
  local IFS=$'\\n' current=\${COMP_WORDS[COMP_CWORD]} found
  found=$(_mdapi_words "\${COMP_WORDS[@]:1:COMP_CWORD-1}" | cut -f 1)
  if [[ $found == ${fileValue} ]]; then COMPREPLY=($(compgen -f -- "$current"))
  else COMPREPLY=($(compgen -W "$found" -- "$current")); fi
}
complete -F _mdapi mdapi`,

  zsh: (look) => `#compdef mdapi
# Completion of mdapi in zsh: source <(mdapi completion zsh)
_mdapi_words() {
  ${look} "$@"
}
_mdapi() {
  local -a candidates
  candidates=("\${(@f)$(_mdapi_words "\${(@)words[2,CURRENT-1]}")}")
  if [[ $candidates == ${fileValue} ]]; then _files; return; fi
  candidates=("\${(@)candidates/$'\\t'/:}")
  [[ -z $candidates ]] || _describe -V mdapi candidates
}
if [[ \${funcstack[1]} == _mdapi ]]; then _mdapi "$@"; else compdef _mdapi mdapi; fi`,

  fish: (look) => `# Completion of mdapi in fish
function __mdapi_words
    ${look} (commandline -opc)[2..-1]
end
complete -c mdapi -f -a '(__mdapi_words | string match -v ${fileValue})'
complete -c mdapi -n '__mdapi_words | string match -q ${fileValue}' -F`,
};
