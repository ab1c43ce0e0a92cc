import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const left = readIgnored();

/** Every file of the repository as a path from its root, without what `.gitignore` leaves out. Works without git. */
export const files: readonly string[] = filesUnder('');

/** Those whose name ends so, below one of the folders when any is given. */
export function filesEnding(ending: string, ...folders: readonly string[]): readonly string[] {
  return files.filter(
    (file) =>
      file.endsWith(ending) && (folders.length === 0 || folders.some((folder) => file.startsWith(`${folder}/`))),
  );
}

export function textOf(file: string): string {
  return readFileSync(`${root}${file}`, 'utf8');
}

/** Whether the file is there for tests alone: what is shipped imports none of these. */
export function isForTests(file: string): boolean {
  return /(\.test|\.testing|-fixture|-under-test)\.ts$/.test(file);
}

function filesUnder(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { withFileTypes: true })
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (left(path, entry.name, entry.isDirectory())) return [];
      return entry.isDirectory() ? filesUnder(path) : [path];
    })
    .sort();
}

/** The three kinds of line our `.gitignore` has: a folder's name, a folder's path, an ending. */
function readIgnored(): (path: string, name: string, isFolder: boolean) => boolean {
  const lines = readFileSync(`${root}.gitignore`, 'utf8').split('\n').filter(Boolean);
  const folders = new Set(['.git', ...lines.filter((line) => line.endsWith('/')).map((line) => line.slice(0, -1))]);
  const endings = lines.filter((line) => line.startsWith('*')).map((line) => line.slice(1));
  return (path, name, isFolder) =>
    isFolder
      ? folders.has(name) || folders.has(path)
      : name === '.git' || endings.some((ending) => name.endsWith(ending));
}
