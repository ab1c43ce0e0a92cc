import { hash } from 'node:crypto';
import { contractLimits } from '../../src/contract/limits.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { createResponseValidator, type ResponseValidator } from '../contract/response-validator.ts';
import type { Witnessed } from './clients.ts';
import { LimitWitness } from './limit-witness.ts';
import { NeverBack } from './never-back.ts';
import { PriceWitness, type TickerBody } from './price-witness.ts';
import { type StatusBody, StatusWitness } from './status-witness.ts';
import type { Witnessing } from './witnessing.ts';

const documentedEvery = 10;

let validator: ResponseValidator | undefined;

/** One for all worlds: compiling it takes longer than a minute of theirs. */
function ownValidator(): ResponseValidator {
  const baseUrl = 'http://127.0.0.1:8080';
  validator ??= createResponseValidator(
    openApiDocument({ baseUrl, errorsUrl: `${baseUrl}/errors`, limits: contractLimits }),
  );
  return validator;
}

interface MarketBody {
  readonly symbol: string;
  readonly status: string;
}

/** Look at every answer from outside, as a client and an auditor would. */
export class Witnesses {
  readonly #witnessing: Witnessing;
  readonly #validate: ResponseValidator;
  readonly #limits: LimitWitness;
  readonly #prices: PriceWitness;
  readonly #status: StatusWitness;
  readonly #neverBack: NeverBack;
  readonly #tagged = new Map<string, string>();
  #answers = 0;

  constructor(witnessing: Witnessing) {
    this.#witnessing = witnessing;
    this.#limits = new LimitWitness(witnessing);
    this.#prices = new PriceWitness(witnessing);
    this.#status = new StatusWitness(witnessing);
    this.#neverBack = new NeverBack(witnessing);
    this.#validate = ownValidator();
  }

  saw(answer: Witnessed): void {
    this.#answers++;
    this.#looksDocumented(answer);
    this.#limits.saw(answer);
    const { findings } = this.#witnessing;
    const isShed = answer.status === 503 && answer.body.includes('SERVICE_OVERLOADED');
    findings.check('never shed', !isShed, () => `${answer.by} refused ${answer.target}: ${answer.body}`);
    this.#looksTagged(answer);
    if (answer.target === '/v1/tickers' && answer.body.includes('"MARKET_DATA_UNAVAILABLE"'))
      this.#prices.sawNone(answer);
    if ((answer.status !== 200 && answer.status !== 304) || answer.shown === undefined) return;
    const body = JSON.parse(answer.shown);
    if (answer.target === '/v1/tickers') this.#sawTickers(body.tickers, answer);
    else if (answer.target.startsWith('/v1/ticker?')) this.#sawTickers([body], answer);
    else if (answer.target === '/v1/status') this.#sawStatus(body, answer);
    else if (answer.target === '/v1/markets') this.#sawMarkets(body.markets, answer);
  }

  #sawTickers(tickers: readonly TickerBody[], answer: Witnessed): void {
    for (const { symbol, timestampMs } of tickers) this.#neverBack.saw(`${answer.key} ${symbol}`, timestampMs, answer);
    const isAll = answer.target === '/v1/tickers';
    this.#prices.saw(tickers, answer, isAll);
    if (isAll) this.#status.sawPrices(tickers, answer);
  }

  #sawStatus(body: StatusBody, answer: Witnessed): void {
    if (body.lastUpdatedAtMs !== null) this.#neverBack.saw(`${answer.key} status`, body.lastUpdatedAtMs, answer);
    this.#status.saw(body, answer);
  }

  #sawMarkets(markets: readonly MarketBody[], { by }: Witnessed): void {
    const { truth, findings } = this.#witnessing;
    for (const { symbol, status } of markets) {
      findings.check('lists in doubt', !truth.isInvented(symbol), () => `${by} offers ${symbol}`);
      if (!truth.mayBeDelisted(symbol))
        findings.check('never delisted', status !== 'delisted', () => `${symbol} is delisted on ${by}`);
    }
  }

  #looksDocumented({ target, status, headers, body, by }: Witnessed): void {
    if (status < 500 && this.#answers % documentedEvery !== 0) return;
    let fault: string | undefined;
    try {
      this.#validate({ method: 'GET', path: target, status, headers, body });
    } catch (error) {
      fault = (error as Error).message;
    }
    this.#witnessing.findings.check('documented', fault === undefined, () => `${by}: ${fault}`);
  }

  #looksTagged({ by, target, status, headers, shown }: Witnessed): void {
    const tag = headers.etag;
    if (tag === undefined) return;
    const name = `${target} ${tag}`;
    const digest = hash('sha256', shown ?? '');
    const known = this.#tagged.get(name) ?? (status === 304 ? undefined : digest);
    this.#witnessing.findings.check(
      'entity tags',
      known === digest,
      () => `${by} answered ${status} to ${name} with another text`,
    );
    // To the end of the order.
    this.#tagged.delete(name);
    this.#tagged.set(name, digest);
    if (this.#tagged.size > 5_000) this.#tagged.delete(this.#tagged.keys().next().value!);
  }
}
