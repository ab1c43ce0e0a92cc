/** One instruction of a Dockerfile. */
export interface Instruction {
  /** In capital letters: `COPY`. */
  readonly name: string;
  /** What follows it, with continued lines joined. */
  readonly rest: string;
}

/** From one `FROM` to the next. */
export interface Stage {
  readonly image: string;
  /** As `AS` names it. */
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

export function readDockerfile(text: string): readonly Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { image: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name === '') throw new Error(`not an instruction: ${line}`);
    const [image = '', , as] = rest.split(/\s+/);
    if (name === 'FROM') stages.push({ image, name: as, instructions: [] });
    else stages.at(-1)?.instructions.push({ name, rest: rest.replaceAll(/\s+/g, ' ') });
  }
  return stages;
}

export function instructionsOf(stage: Stage, name: string): readonly string[] {
  return stage.instructions.filter((one) => one.name === name).map(({ rest }) => rest);
}

/** The words of an instruction in exec form. Throws on shell form, where signals end at a shell. */
export function execForm(rest: string): readonly string[] {
  if (!rest.startsWith('[')) throw new Error(`in shell form: ${rest}`);
  return JSON.parse(rest) as string[];
}

/** A `COPY` of files of the repository; `undefined` when they come from another stage. */
export function copyOf(rest: string): { readonly sources: readonly string[]; readonly target: string } | undefined {
  const words = rest.split(' ');
  if (words.some((word) => word.startsWith('--from='))) return undefined;
  return { sources: words.slice(0, -1), target: words.at(-1)! };
}

/** What `.dockerignore` leaves out: its last line that fits a path, or a folder above it, decides. */
export function ignoredBy(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ ignores: !line.startsWith('!'), fits: patternOf(line.replace(/^!/, '')) }));
  return (path) => {
    const parts = path.split('/');
    const heads = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    return rules.findLast(({ fits }) => heads.some((head) => fits.test(head)))?.ignores ?? false;
  };
}

function patternOf(line: string): RegExp {
  const source = line
    .replaceAll(/[.+^$(){}|[\]\\]/g, '\\$&')
    .replaceAll('**/', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '(?:.*/)?');
  return new RegExp(`^${source}$`);
}
