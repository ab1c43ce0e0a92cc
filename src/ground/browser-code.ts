import { hash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

/**
 * TypeScript for browsers without its types, which are blanked out: lines and columns stay as they are in the source.
 * Throws `SyntaxError` on syntax that is more than types.
 *
 * What strips it takes a tenth of a second and 20 MB for the rest of the process's life. So the result is kept beside
 * the compiled code of the service, where there is such a folder and it can be written.
 */
export function browserCode(typescript: string, cache = getCompileCacheDir()): string {
  if (cache === undefined) return stripped(typescript);
  const file = join(cache, `browser-${hash('sha256', typescript)}.js`);
  return kept(file) ?? keep(file, stripped(typescript));
}

/** The same with imports of what lies beside it as JavaScript. */
export function browserModule(typescript: string): string {
  return browserCode(typescript).replaceAll(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.[^'"\n]*)\.ts\2/g, '$1$2$3.js$2');
}

function stripped(typescript: string): string {
  const { emitWarning } = process;
  // The platform calls this experimental, once, on stderr; the runtime is pinned, and no option of a running process
  // stops it.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(typescript).replace(/[\t ]+$/gm, '');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function kept(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whole or not at all: other processes read it meanwhile. */
function keep(file: string, code: string): string {
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, code);
    renameSync(unfinished, file);
  } catch {
    // Whoever runs the service may not own the folder.
  }
  return code;
}
