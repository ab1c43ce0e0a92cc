/**
 * `npm run simulate -- --seed N --days D --processes P`: whole services in a simulated world, see docs/contributors/simulation.md. The doubles of
 * the platform have to be in place before the service is loaded.
 */
import { hookDoubles } from './hooks.ts';
import { replacePlatform } from './platform.ts';

hookDoubles();
const { simulate } = await import('./simulate.ts');
replacePlatform();
process.exit(await simulate(process.argv.slice(2)));
