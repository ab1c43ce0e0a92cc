import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ErrorCode, errorCodes } from '../../src/contract/errors.ts';
import { headerNames as contractHeaders, limitWindowMs, pollingIntervals } from '../../src/contract/limits.ts';
import type {
  ErrorBody,
  MaintenanceWindowBody,
  MarketBody,
  ServerTimeBody,
  ServiceStatusBody,
  TickerBody,
} from '../../src/contract/schemas.ts';
import { publicMarketStatuses, publicServiceStatuses } from '../../src/contract/schemas.ts';
import type * as own from '../src/contract.ts';
import {
  headerNames,
  isKnownErrorCode,
  isKnownMarketStatus,
  isKnownServiceStatus,
  knownErrorCodes,
  knownMarketStatuses,
  knownServiceStatuses,
  limitWindowMs as ownLimitWindowMs,
  pollingIntervalsMs,
} from '../src/contract.ts';

type Plain<T> = { -readonly [Name in keyof T]: T[Name] };
/** The contract's type with every member under `Names` open to unknown values, as the client has it. */
type Open<T, Names extends keyof T> = Plain<{
  [Name in keyof T]: Name extends Names ? T[Name] | (string & {}) : T[Name];
}>;
/** The same members, each optional in both or in neither, and assignable both ways. */
type Same<A, B> = [keyof A, keyof B, OptionalOf<A>, A, B] extends [keyof B, keyof A, OptionalOf<B>, B, A]
  ? [OptionalOf<B>] extends [OptionalOf<A>]
    ? true
    : false
  : false;
type OptionalOf<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? Name : never }[keyof T];
type Parts = Open<ServiceStatusBody['components'], 'ticker'>;

describe('the types of the client', () => {
  test('are those of the contract, with enumerations open', () => {
    const same: [
      Same<own.ServerTime, ServerTimeBody>,
      Same<own.MaintenanceWindow, MaintenanceWindowBody>,
      Same<Omit<own.ServiceStatus, 'components'>, Omit<Open<ServiceStatusBody, 'status' | 'api'>, 'components'>>,
      Same<own.ServiceStatus['components'], Parts>,
      Same<own.Market, Open<MarketBody, 'status'>>,
      Same<own.Ticker, TickerBody>,
      Same<own.Problem, Open<ErrorBody, 'code'>>,
      Same<own.KnownErrorCode, ErrorCode>,
    ] = [true, true, true, true, true, true, true, true];
    const different: [
      Same<own.Ticker, Omit<TickerBody, 'vwap24h'>>,
      Same<own.Ticker, Required<TickerBody>>,
      Same<own.Market, MarketBody>,
    ] = [false, false, false];
    assert.ok(same.every(Boolean) && !different.some(Boolean));
  });

  test('take any text for a status or code, and tell the known ones', () => {
    const status: own.MarketStatus = 'halted';
    assert.deepEqual([isKnownMarketStatus(status), isKnownMarketStatus('paused')], [false, true]);
    assert.deepEqual([isKnownServiceStatus('recovering'), isKnownServiceStatus('outage')], [false, true]);
    assert.deepEqual([isKnownErrorCode('TEAPOT'), isKnownErrorCode('UNKNOWN_SYMBOL')], [false, true]);
  });
});

describe('the figures and names of the client', () => {
  test('are those of the contract', () => {
    assert.deepEqual(knownMarketStatuses, publicMarketStatuses);
    assert.deepEqual(knownServiceStatuses, publicServiceStatuses);
    assert.deepEqual(knownErrorCodes, errorCodes);
    assert.equal(ownLimitWindowMs, limitWindowMs);
    for (const [name, intervalMs] of Object.entries(pollingIntervalsMs)) {
      assert.equal(pollingIntervals.find(({ path }) => path === `/v1/${name}`)?.intervalMs, intervalMs, name);
    }
    assert.deepEqual(headerNames, {
      apiKey: contractHeaders.apiKey.toLowerCase(),
      limit: contractHeaders.rateLimitLimit.toLowerCase(),
      remaining: contractHeaders.rateLimitRemaining.toLowerCase(),
      reset: contractHeaders.rateLimitReset.toLowerCase(),
      retryAfter: contractHeaders.retryAfter.toLowerCase(),
      requestId: contractHeaders.requestId.toLowerCase(),
      feedStatus: contractHeaders.feedStatus.toLowerCase(),
    });
  });
});
