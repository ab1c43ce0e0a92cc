import { type Command, commonOptions, type Option } from './command.ts';
import { UsageError } from './failure.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

export const completion: Command = {
  name: 'completion',
  summary: 'print a script that completes command lines of mdapi in a shell',
  positionals: [{ name: 'SHELL', summary: `one of ${shells.join(', ')}`, values: shells }],
  examples: [
    { line: 'source <(mdapi completion bash)', note: 'in ~/.bashrc; the same with zsh in ~/.zshrc, after compinit' },
    { line: 'mdapi completion fish', note: 'to be saved as ~/.config/fish/completions/mdapi.fish' },
  ],
  async run(input) {
    const shell = input.argument('SHELL');
    // Loaded late: the table of commands has this one in it.
    const { commands } = await import('./commands.ts');
    const places = placesIn(commands);
    if (shell === 'bash') return shown(bashScript(places));
    if (shell === 'zsh') return shown(zshScript(places));
    if (shell === 'fish') return shown(fishScript(places));
    throw new UsageError(`There is no completion for ${JSON.stringify(shell)}, only for ${shells.join(', ')}.`);
  },
};

function shown(script: string) {
  return { json: { script }, text: script };
}

interface Word {
  readonly name: string;
  readonly summary: string;
}

/** What may follow the first words of a command line. */
interface Place {
  /** `keys`, `keys create`; empty for the beginning. */
  readonly after: string;
  /** Whether those words name a command, which further words can follow. */
  readonly isCommand: boolean;
  readonly words: readonly Word[];
  readonly options: readonly Option[];
}

function placesIn(commands: readonly Command[]): readonly Place[] {
  const groups = Object.groupBy(commands, ({ name }) => name.split(' ')[0]!);
  const first: Word[] = [{ name: 'help', summary: 'show the help of a command' }];
  const places: Place[] = [];
  for (const [group, members = []] of Object.entries(groups)) {
    const verbs = members.map(({ name, summary }) => ({ name: name.slice(group.length + 1), summary }));
    const isCommand = verbs[0]!.name === '';
    first.push({ name: group, summary: isCommand ? verbs[0]!.summary : verbs.map(({ name }) => name).join(', ') });
    if (!isCommand) places.push({ after: group, isCommand, words: verbs, options: [] });
    for (const { name, positionals = [], options = [] } of members) {
      const words = positionals.flatMap(({ values = [], summary }) => values.map((name) => ({ name, summary })));
      places.push({ after: name, isCommand: true, words, options });
    }
  }
  return [{ after: '', isCommand: false, words: first, options: [] }, ...places];
}

/** The options with a value, each once: the word after one is not part of the command's name. */
function valueOptions(places: readonly Place[]): readonly Option[] {
  const all = [...commonOptions, ...places.flatMap(({ options }) => options)].filter(
    ({ value }) => value !== undefined,
  );
  return [...new Map(all.map((option) => [option.name, option])).values()];
}

const isFile = ({ value }: Option) => value === 'FILE' || value === 'DIR';
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const spellings = (options: readonly Option[]) => options.map(({ name }) => `--${name}`);

/**
 * The part that bash and zsh have in common: `command` becomes the words without options and their values, and `before`
 * the word before the one to complete.
 */
function readWords(places: readonly Place[], words: string): string {
  return `  for word in ${words}; do
    case $before in
      ${spellings(valueOptions(places)).join('|')}) before=$word; continue ;;
    esac
    before=$word
    [[ $word == -* || ( -z $command && $word == help ) ]] || command+="\${command:+ }$word"
  done`;
}

/** One `case` of both shells for the values of options: files, chosen words, or nothing that could be known. */
function valueCases(places: readonly Place[], files: string, choose: (values: readonly string[]) => string): string {
  const options = valueOptions(places);
  const chosen = options.filter(({ values }) => values !== undefined);
  const other = options.filter((option) => !isFile(option) && option.values === undefined);
  return [
    '  case $before in',
    `    ${spellings(options.filter(isFile)).join('|')}) ${files}; return ;;`,
    ...chosen.map(({ name, values }) => `    --${name}) ${choose(values!)}; return ;;`),
    `    ${spellings(other).join('|')}) return ;;`,
    '  esac',
  ].join('\n');
}

function placeCases(places: readonly Place[], choose: (place: Place) => string): string {
  const pattern = ({ after, isCommand }: Place) => quoted(after) + (isCommand ? `|${quoted(`${after} `)}*` : '');
  const cases = places.map((place) => `    ${pattern(place)}) ${choose(place)} ;;`);
  return ['  case $command in', ...cases, '  esac'].join('\n');
}

function bashScript(places: readonly Place[]): string {
  const words = (place: Place) => [...place.words.map(({ name }) => name), ...spellings(place.options)].join(' ');
  return `# Completion of mdapi in bash: source <(mdapi completion bash)
_mdapi() {
  local current=\${COMP_WORDS[COMP_CWORD]} before='' command='' word candidates=''
  COMPREPLY=()
${readWords(places, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
${valueCases(places, 'local IFS=$\'\\n\'; COMPREPLY=($(compgen -f -- "$current"))', (values) => `COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$current"))`)}
${placeCases(places, (place) => `candidates=${quoted(words(place))}`)}
  COMPREPLY=($(compgen -W "$candidates ${spellings(commonOptions).join(' ')}" -- "$current"))
}
complete -F _mdapi mdapi`;
}

function zshScript(places: readonly Place[]): string {
  const described = (word: Word) => quoted(`${word.name.replaceAll(':', '\\:')}:${word.summary}`);
  const optionWords = (options: readonly Option[]) =>
    options.map(({ name, summary }) => ({ name: `--${name}`, summary }));
  const list = (words: readonly Word[]) => words.map(described).join(' ');
  return `#compdef mdapi
# Completion of mdapi in zsh: source <(mdapi completion zsh)
_mdapi() {
  local before='' command='' word
  local -a candidates
${readWords(places, `"\${(@)words[2,CURRENT-1]}"`)}
${valueCases(places, '_files', (values) => `compadd -- ${values.join(' ')}`)}
${placeCases(places, (place) => `candidates=(${list([...place.words, ...optionWords(place.options)])})`)}
  candidates+=(${list(optionWords(commonOptions))})
  _describe -V mdapi candidates
}
if [[ \${funcstack[1]} == _mdapi ]]; then _mdapi "$@"; else compdef _mdapi mdapi; fi`;
}

function fishScript(places: readonly Place[]): string {
  const option = (each: Option) => {
    const { name, value, values, summary } = each;
    const takes = value === undefined ? '' : isFile(each) ? ' -r -F' : ' -x';
    const choices = values === undefined ? '' : ` -a ${quoted(values.join(' '))}`;
    return `-l ${name}${takes}${choices} -d ${quoted(summary)}`;
  };
  const lines = places.flatMap(({ after, isCommand, words, options }) => {
    const condition = `-n ${quoted(`__mdapi_after "${after}"${isCommand ? ` "${after} *"` : ''}`)}`;
    return [
      ...words.map(({ name, summary }) => `${condition} -a ${name} -d ${quoted(summary)}`),
      ...options.map((each) => `${condition} ${option(each)}`),
    ];
  });
  return `# Completion of mdapi in fish
function __mdapi_after
    set -l command
    set -l before ''
    for word in (commandline -opc)[2..-1]
        if contains -- $before ${spellings(valueOptions(places)).join(' ')}
            set before $word
            continue
        end
        set before $word
        string match -q -- '-*' $word; or test "$command$word" = help; or set -a command $word
    end
    for pattern in $argv
        string match -q -- $pattern "$command"; and return 0
    end
    return 1
end
complete -c mdapi -f
${[...lines, ...commonOptions.map(option)].map((line) => `complete -c mdapi ${line}`).join('\n')}`;
}
