import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { files } from '../repository/files.ts';
import { copyOf, execForm, ignoredBy, instructionsOf, readDockerfile, type Stage } from './dockerfile.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const text = (path: string) => readFileSync(join(repository, path), 'utf8');

export const stages: readonly Stage[] = readDockerfile(text('Dockerfile'));
/** What becomes the image. */
export const image: Stage = stages.at(-1)!;
const isIgnored = ignoredBy(text('.dockerignore'));
/** What a build may take. */
const context = files.filter((file) => !isIgnored(file));

/** The repository's files that a `COPY` takes, each with its place in the image. */
export function copied(stage: Stage): ReadonlyMap<string, string> {
  const placed = new Map<string, string>();
  let folder = '/';
  for (const { name, rest } of stage.instructions) {
    if (name === 'WORKDIR') folder = posix.resolve(folder, rest);
    const copy = name === 'COPY' ? copyOf(rest) : undefined;
    for (const source of copy?.sources ?? []) {
      const target = posix.resolve(folder, copy!.target);
      for (const file of context) {
        if (file.startsWith(`${source}/`)) placed.set(file, posix.join(target, file.slice(source.length + 1)));
        if (file !== source) continue;
        placed.set(file, copy!.target.endsWith('/') ? posix.join(target, posix.basename(file)) : target);
      }
    }
  }
  return placed;
}

/** What the image runs, with `/app` and its working directory in a folder of this machine. */
export interface StagedImage {
  readonly root: string;
  /** `ENTRYPOINT` without node itself. */
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
}

/**
 * Does in a new folder what the Dockerfile does. The packages are either those of this repository, linked, or
 * installed by the Dockerfile's own command, which needs the registry.
 */
export function stageImage(packages: 'linked' | 'installed'): StagedImage {
  const root = mkdtempSync(join(tmpdir(), 'mdapi-image-'));
  chmodSync(root, 0o755);
  for (const [file, place] of copied(image)) put(file, join(root, place));
  makeClientPackages(root);
  if (packages === 'linked') symlinkSync(join(repository, 'node_modules'), join(root, 'app', 'node_modules'));
  else installPackages(root);
  const inRoot = (word: string) => (word.startsWith('/') ? join(root, word) : word);
  const words = (name: string) => execForm(instructionsOf(image, name).at(-1)!);
  const [, healthcheck = ''] = /(?<=CMD )(\[.*\])/.exec(instructionsOf(image, 'HEALTHCHECK')[0]!) ?? [];
  return {
    root,
    entrypoint: words('ENTRYPOINT').slice(1).map(inRoot),
    command: words('CMD'),
    healthcheck: execForm(healthcheck).slice(1).map(inRoot),
    env: Object.fromEntries(
      instructionsOf(image, 'ENV').flatMap((rest) => rest.split(' ').map((one) => one.split(/=(.*)/, 2))),
    ),
    workingDirectory: inRoot(instructionsOf(image, 'WORKDIR').at(-1)!),
  };
}

function put(file: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(repository, file), target);
  chmodSync(target, statSync(join(repository, file)).mode & 0o555);
}

/** Makes what the image takes from its stage `clients` of what that stage copies, with the packages that are here. */
function makeClientPackages(root: string): void {
  const stage = stages.find(({ name }) => name === 'clients')!;
  const folder = mkdtempSync(join(tmpdir(), 'mdapi-clients-'));
  for (const [file, place] of copied(stage)) put(file, join(folder, place));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'app', 'node_modules'));
  const [, ...argv] = execForm(instructionsOf(stage, 'RUN').at(-1)!);
  execFileSync(process.execPath, argv, { cwd: join(folder, 'app'), stdio: ['ignore', 'ignore', 'inherit'] });
  const [, taken = '', target = ''] = instructionsOf(image, 'COPY')
    .map((rest) => rest.split(' '))
    .find(([from]) => from === '--from=clients')!;
  cpSync(join(folder, taken), join(root, 'app', target), { recursive: true });
  rmSync(folder, { recursive: true });
}

function installPackages(root: string): void {
  const stage = stages.find(({ name }) => name === 'packages')!;
  for (const [file, place] of copied(stage)) {
    mkdirSync(dirname(join(root, place)), { recursive: true });
    writeFileSync(join(root, place), text(file));
  }
  const [command = '', ...argv] = execForm(instructionsOf(stage, 'RUN')[0]!);
  execFileSync(command, argv, { cwd: join(root, 'app'), stdio: ['ignore', 'ignore', 'inherit'] });
}
