import { systemClock } from '../ground/clock.ts';
import { contextOf, exitWhenDone } from './process.ts';
import { run } from './run.ts';

const exitCode = await run(process.argv.slice(2), contextOf(process));
// One that is set already says that the output could not be written.
if (exitCode !== 0 || process.exitCode === undefined) process.exitCode = exitCode;
exitWhenDone(process, systemClock);
