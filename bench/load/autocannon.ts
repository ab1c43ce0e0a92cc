import autocannon from 'autocannon';
import { type LoadPlan, type LoadResult, requestsOf } from './load.ts';

// A process of its own: takes a plan as its argument and prints the result.
const plan = JSON.parse(process.argv[2]!) as LoadPlan;
const result = await autocannon({
  url: plan.baseUrl,
  connections: plan.connections,
  duration: plan.seconds,
  requests: requestsOf(plan),
  ...(plan.rate === undefined ? {} : { overallRate: plan.rate }),
});
const answered = result.requests.total;
const good = result.statusCodeStats['200']?.count ?? 0;
const summary: LoadResult = {
  requests: answered,
  seconds: result.duration,
  bytesReceived: result.throughput.total,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  failures: answered - good + result.errors + result.timeouts,
};
process.stdout.write(`${JSON.stringify(summary)}\n`);
