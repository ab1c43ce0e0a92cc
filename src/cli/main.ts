import { contextOf } from './process.ts';
import { run } from './run.ts';

const context = contextOf(process);
process.exitCode = await run(process.argv.slice(2), context);
context.done();
