import type { KnownErrorCode, Problem } from './contract.ts';
import { ApiProblem } from './failures.ts';

/** `INVALID_PARAMETER`: a parameter is missing or malformed; `detail` names it. */
export class InvalidParameterProblem extends ApiProblem {
  override readonly name: string = 'InvalidParameterProblem';
  declare readonly code: 'INVALID_PARAMETER';
}

/** `MISSING_API_KEY`: the request carried no key. */
export class MissingApiKeyProblem extends ApiProblem {
  override readonly name: string = 'MissingApiKeyProblem';
  declare readonly code: 'MISSING_API_KEY';
}

/** `INVALID_API_KEY`: the key is wrong, disabled, revoked or expired, or its account is inactive. */
export class InvalidApiKeyProblem extends ApiProblem {
  override readonly name: string = 'InvalidApiKeyProblem';
  declare readonly code: 'INVALID_API_KEY';
}

/** `UNKNOWN_SYMBOL`: the symbol was never listed, or is delisted. */
export class UnknownSymbolProblem extends ApiProblem {
  override readonly name: string = 'UnknownSymbolProblem';
  declare readonly code: 'UNKNOWN_SYMBOL';
}

/** `NOT_FOUND`: no such path. */
export class NotFoundProblem extends ApiProblem {
  override readonly name: string = 'NotFoundProblem';
  declare readonly code: 'NOT_FOUND';
}

/** `RATE_LIMIT_EXCEEDED`: the limit of the key or of the address is used up. */
export class RateLimitExceededProblem extends ApiProblem {
  override readonly name: string = 'RateLimitExceededProblem';
  declare readonly code: 'RATE_LIMIT_EXCEEDED';
}

/** `MARKET_DATA_UNAVAILABLE`: the market has no price now, or there are no prices at all. */
export class MarketDataUnavailableProblem extends ApiProblem {
  override readonly name: string = 'MarketDataUnavailableProblem';
  declare readonly code: 'MARKET_DATA_UNAVAILABLE';
}

/** `SERVICE_MAINTENANCE`: an announced window is running. */
export class ServiceMaintenanceProblem extends ApiProblem {
  override readonly name: string = 'ServiceMaintenanceProblem';
  declare readonly code: 'SERVICE_MAINTENANCE';
}

/** `BAD_REQUEST`: the request is not acceptable HTTP. */
export class BadRequestProblem extends ApiProblem {
  override readonly name: string = 'BadRequestProblem';
  declare readonly code: 'BAD_REQUEST';
}

/** `METHOD_NOT_ALLOWED`: neither GET nor HEAD. */
export class MethodNotAllowedProblem extends ApiProblem {
  override readonly name: string = 'MethodNotAllowedProblem';
  declare readonly code: 'METHOD_NOT_ALLOWED';
}

/** `REQUEST_TIMEOUT`: the request did not reach the service in time. */
export class RequestTimeoutProblem extends ApiProblem {
  override readonly name: string = 'RequestTimeoutProblem';
  declare readonly code: 'REQUEST_TIMEOUT';
}

/** `EXPECTATION_FAILED`: an unsupported `Expect` header. */
export class ExpectationFailedProblem extends ApiProblem {
  override readonly name: string = 'ExpectationFailedProblem';
  declare readonly code: 'EXPECTATION_FAILED';
}

/** `REQUEST_HEADER_FIELDS_TOO_LARGE`: the headers are too large. */
export class RequestHeaderFieldsTooLargeProblem extends ApiProblem {
  override readonly name: string = 'RequestHeaderFieldsTooLargeProblem';
  declare readonly code: 'REQUEST_HEADER_FIELDS_TOO_LARGE';
}

/** `INTERNAL_ERROR`: a fault of the service. */
export class InternalErrorProblem extends ApiProblem {
  override readonly name: string = 'InternalErrorProblem';
  declare readonly code: 'INTERNAL_ERROR';
}

/** `SERVICE_OVERLOADED`: more requests than the service can answer in time. */
export class ServiceOverloadedProblem extends ApiProblem {
  override readonly name: string = 'ServiceOverloadedProblem';
  declare readonly code: 'SERVICE_OVERLOADED';
}

const classes: Readonly<
  Record<KnownErrorCode, new (...problem: ConstructorParameters<typeof ApiProblem>) => ApiProblem>
> = {
  INVALID_PARAMETER: InvalidParameterProblem,
  MISSING_API_KEY: MissingApiKeyProblem,
  INVALID_API_KEY: InvalidApiKeyProblem,
  UNKNOWN_SYMBOL: UnknownSymbolProblem,
  NOT_FOUND: NotFoundProblem,
  RATE_LIMIT_EXCEEDED: RateLimitExceededProblem,
  MARKET_DATA_UNAVAILABLE: MarketDataUnavailableProblem,
  SERVICE_MAINTENANCE: ServiceMaintenanceProblem,
  BAD_REQUEST: BadRequestProblem,
  METHOD_NOT_ALLOWED: MethodNotAllowedProblem,
  REQUEST_TIMEOUT: RequestTimeoutProblem,
  EXPECTATION_FAILED: ExpectationFailedProblem,
  REQUEST_HEADER_FIELDS_TOO_LARGE: RequestHeaderFieldsTooLargeProblem,
  INTERNAL_ERROR: InternalErrorProblem,
  SERVICE_OVERLOADED: ServiceOverloadedProblem,
};

/** The failure of a problem, in the class of its code; an `ApiProblem` for a code that this version does not know. */
export function problemFailure(problem: Problem, path: string, retryAfterMs: number | undefined): ApiProblem {
  const known = Object.hasOwn(classes, problem.code) ? classes[problem.code as KnownErrorCode] : ApiProblem;
  return new known(problem, path, retryAfterMs);
}
