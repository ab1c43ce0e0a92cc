import { findProgram, MeasuredProcess, startNode } from '../processes.ts';
import { type LoadPlan, type LoadResult, requestsOf } from './load.ts';

const script = new URL('./requests.lua', import.meta.url).pathname;
const wrk = findProgram('wrk');

/** What sends the requests, for the report. */
export const generatorName = wrk === undefined ? 'autocannon' : 'wrk';

/** Sends the plan's requests from the other core. A fixed rate always comes from autocannon, which can keep one. */
export function sendLoad(plan: LoadPlan): Promise<LoadResult> {
  return wrk === undefined || plan.rate !== undefined ? withAutocannon(plan) : withWrk(wrk, plan);
}

async function withWrk(command: string, plan: LoadPlan): Promise<LoadResult> {
  const { baseUrl, connections, seconds } = plan;
  const requests = requestsOf(plan).map(({ path, headers }) => `${path} ${headers['X-EXCHANGE-APIKEY']}`);
  const load = new MeasuredProcess({
    core: plan.core ?? 'others',
    command,
    args: ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, baseUrl, '--', String(plan.gzip), ...requests],
  });
  const last = (await load.output()).trimEnd().split('\n').at(-1)!;
  return JSON.parse(last) as LoadResult;
}

async function withAutocannon(plan: LoadPlan): Promise<LoadResult> {
  const program = new URL('./autocannon.ts', import.meta.url).pathname;
  const load = startNode({ core: plan.core ?? 'others', args: [program, JSON.stringify(plan)] });
  return JSON.parse(await load.output()) as LoadResult;
}
