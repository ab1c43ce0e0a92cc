export type { LimitFigures } from './budget.ts';
export type { Answered, Call, ResponseDetails } from './call.ts';
export { type Age, type CallOptions, type ClockOffset, createClient, type MarketDataClient } from './client.ts';
export { type Clock, systemClock, type Timer } from './clock.ts';
export {
  type DecimalString,
  type ErrorCode,
  isKnownErrorCode,
  isKnownMarketStatus,
  isKnownServiceStatus,
  type KnownErrorCode,
  type KnownMarketStatus,
  type KnownServiceStatus,
  knownErrorCodes,
  knownMarketStatuses,
  knownServiceStatuses,
  type MaintenanceWindow,
  type Market,
  type MarketStatus,
  type Problem,
  pollingIntervalsMs,
  type ServerTime,
  type ServiceState,
  type ServiceStatus,
  type Ticker,
} from './contract.ts';
export { type Access, fromEnvironment } from './environment.ts';
export { ApiProblem, MalformedAnswer, MarketDataFailure, TimeoutFailure, TransportFailure } from './failures.ts';
export type { Hooks, RequestEvent, ResponseEvent, RetryEvent } from './hooks.ts';
export {
  BadRequestProblem,
  ExpectationFailedProblem,
  InternalErrorProblem,
  InvalidApiKeyProblem,
  InvalidParameterProblem,
  MarketDataUnavailableProblem,
  MethodNotAllowedProblem,
  MissingApiKeyProblem,
  NotFoundProblem,
  RateLimitExceededProblem,
  RequestHeaderFieldsTooLargeProblem,
  RequestTimeoutProblem,
  ServiceMaintenanceProblem,
  ServiceOverloadedProblem,
  UnknownSymbolProblem,
} from './problems.ts';
export type { ClientOptions } from './settings.ts';
export type { Watch, WatchOptions } from './watch.ts';
export type { WatchState } from './watch-state.ts';
export type { Fetch } from './wire.ts';
