/** Notes which mutants the tests of this process reached, for `test-files-runner.ts`. */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

interface Instrumented {
  readonly __stryker__?: { readonly mutantCoverage?: { readonly static: object } };
}

const file = process.env.MDAPI_MUTANT_COVERAGE;
if (isMainThread && file !== undefined) {
  process.once('exit', () => {
    const { __stryker__ } = globalThis as Instrumented;
    writeFileSync(file, JSON.stringify(__stryker__?.mutantCoverage?.static ?? {}));
  });
}
