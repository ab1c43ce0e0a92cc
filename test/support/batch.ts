/** What `test/run.ts` starts: several test files in one process. Hooks at the top of a file stay that file's own. */
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

const files = JSON.parse(process.env.MDAPI_TEST_FILES ?? '[]') as readonly string[];
delete process.env.MDAPI_TEST_FILES;
for (const file of files) {
  describe(file, async () => {
    await import(pathToFileURL(file).href);
  });
}
