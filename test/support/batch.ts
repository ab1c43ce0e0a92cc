/** What `test/run.ts` starts: several test files in one process. Hooks at the top of a file stay that file's own. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { after, describe } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

// Every batch loads most of the sources: their types are stripped and they are compiled once.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/tests', import.meta.url)));
// The runner may end the process while something is left.
after(() => flushCompileCache());

const files = JSON.parse(process.env.MDAPI_TEST_FILES ?? '[]') as readonly string[];
delete process.env.MDAPI_TEST_FILES;
for (const file of files) {
  describe(file, async () => {
    await import(pathToFileURL(file).href);
  });
}
