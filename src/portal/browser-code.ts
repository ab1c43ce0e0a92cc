import { stripTypeScriptTypes } from 'node:module';

/**
 * TypeScript for browsers as JavaScript: its types are blanked out, so lines and columns stay as they are
 * in the source. Throws `SyntaxError` on syntax that is more than types.
 */
export function browserCode(typescript: string): string {
  const { emitWarning } = process;
  // The platform calls this experimental, once, on stderr; the runtime is pinned, so nobody needs to hear it.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(typescript).replace(/[\t ]+$/gm, '');
  } finally {
    process.emitWarning = emitWarning;
  }
}
