import assert from 'node:assert/strict';
import { type OpenApiDocument, openApiDocument } from '../../src/contract/openapi.ts';
import type {
  ErrorBody,
  MarketBody,
  MarketListBody,
  ServiceStatusBody,
  TickerBody,
  TickerListBody,
} from '../../src/contract/schemas.ts';
import { createResponseValidator, type ResponseValidator } from '../contract/response-validator.ts';
import { exchange, type WireResponse } from './http-client.ts';

export interface ApiRequest {
  readonly method?: string;
  /** `undefined` sends the client's own key, `null` none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A client of a running service that trusts nothing: every answer is validated against the document
 * the service itself serves. Each request has a connection of its own.
 */
export class ApiClient {
  readonly baseUrl: string;
  readonly port: number;
  readonly key: string;
  readonly #validate: ResponseValidator;

  private constructor(baseUrl: string, key: string, validate: ResponseValidator) {
    this.baseUrl = baseUrl;
    this.port = Number(new URL(baseUrl).port);
    this.key = key;
    this.#validate = validate;
  }

  /** For a service that may refuse to give its document: answers are held against the one it should have. */
  static unasked(baseUrl: string, key: string): ApiClient {
    const document = openApiDocument({ baseUrl, errorsUrl: `${baseUrl}/errors` });
    return new ApiClient(baseUrl, key, createResponseValidator(document));
  }

  /** Reads the document that all answers are held against. */
  static async of(baseUrl: string, key: string): Promise<ApiClient> {
    const response = await fetch(`${baseUrl}/openapi/v1.json`, { headers: { Connection: 'close' } });
    assert.equal(response.status, 200);
    const document = (await response.json()) as OpenApiDocument;
    return new ApiClient(baseUrl, key, createResponseValidator(document));
  }

  /** The same service asked with another key. */
  with(key: string): ApiClient {
    return new ApiClient(this.baseUrl, key, this.#validate);
  }

  async get(target: string, { method = 'GET', key, headers = {} }: ApiRequest = {}): Promise<WireResponse> {
    const sent: Record<string, string> = { Host: new URL(this.baseUrl).host, Connection: 'close', ...headers };
    if (key !== null) sent['X-EXCHANGE-APIKEY'] = key ?? this.key;
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
    const { responses } = await exchange(this.port, `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, [method]);
    const response = responses[0];
    if (response === undefined || responses.length !== 1) throw new Error(`${responses.length} answers to ${target}`);
    this.validate(method, target, response);
    return response;
  }

  /** Throws unless the answer is one the served document describes. */
  validate(method: string, path: string, { status, headers, body }: WireResponse): void {
    this.#validate({ method, path, status, headers, body });
  }

  /** The body of a 200. */
  async read<Body>(target: string): Promise<Body> {
    const { status, body } = await this.get(target);
    assert.equal(status, 200, `${target}: ${body}`);
    return JSON.parse(body.toString('utf8')) as Body;
  }

  status(): Promise<ServiceStatusBody> {
    return this.read('/v1/status');
  }

  ticker(symbol: string): Promise<TickerBody> {
    return this.read(`/v1/ticker?symbol=${symbol}`);
  }

  /** By symbol. */
  async tickers(): Promise<ReadonlyMap<string, TickerBody>> {
    const { tickers } = await this.read<TickerListBody>('/v1/tickers');
    return new Map(tickers.map((ticker) => [ticker.symbol, ticker]));
  }

  /** What a client trades by, by symbol: both prices and when they were captured. */
  async prices(): Promise<Readonly<Record<string, readonly [buy: string, sell: string, timestampMs: number]>>> {
    const entries = [...(await this.tickers()).values()];
    return Object.fromEntries(
      entries.map(({ symbol, buyPrice, sellPrice, timestampMs }) => [symbol, [buyPrice, sellPrice, timestampMs]]),
    );
  }

  /** By symbol. */
  async markets(): Promise<ReadonlyMap<string, MarketBody>> {
    const { markets } = await this.read<MarketListBody>('/v1/markets');
    return new Map(markets.map((market) => [market.symbol, market]));
  }

  /** Status and code of what is refused: `503 MARKET_DATA_UNAVAILABLE`; `200` when it is not. */
  async outcome(target: string, request: ApiRequest = {}): Promise<string> {
    const { status, body } = await this.get(target, request);
    return status === 200 ? '200' : `${status} ${(JSON.parse(body.toString('utf8')) as ErrorBody).code}`;
  }
}
