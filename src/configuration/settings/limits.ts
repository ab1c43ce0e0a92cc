import { configuredLimitMax, contractLimits } from '../../contract/limits.ts';
import { section, setting, wholeNumber } from '../kinds.ts';

const perMinute = (fallback: number) => wholeNumber(fallback, [1, configuredLimitMax]);

export const limits = section('Requests per wall-clock minute. The defaults are the contract’s.', {
  key: setting(perMinute(contractLimits.key), 'Per valid API key over all endpoints; a key can have its own.'),
  address: setting(
    perMinute(contractLimits.address),
    'Per client address, for the root path and the OpenAPI document.',
  ),
  failedAuthentication: setting(perMinute(contractLimits.failedAuthentication), {
    description: 'Per client address, for requests whose authentication failed.',
    security: 'Slows the guessing of keys.',
  }),
});
