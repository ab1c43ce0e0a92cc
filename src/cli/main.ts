import { systemClock } from '../ground/clock.ts';
import { contextOf, exitWhenDone } from './process.ts';
import { run } from './run.ts';

process.exitCode = await run(process.argv.slice(2), contextOf(process));
exitWhenDone(process, systemClock);
