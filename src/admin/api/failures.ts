import { StoreError, type StoreErrorReason } from '../../store/store-error.ts';
import { invalid, Problem } from './problems.ts';

/** The field of a request that a refusal of the store is about. */
const fieldOf: Readonly<Partial<Record<StoreErrorReason, string>>> = {
  email_invalid: 'email',
  label_invalid: 'label',
  limit_invalid: 'limitPerMinute',
  expiry_not_in_future: 'expiresAtMs',
  overlap_in_past: 'overlapMs',
  window_order: 'toMs',
  window_in_past: 'toMs',
  window_description: 'description',
};

const ofTheFramework: Readonly<Record<string, () => Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Problem('PAYLOAD_TOO_LARGE', 'The body has more than 64 kB.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send the body as JSON, with the header Content-Type: application/json.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new Problem('INVALID_INPUT', 'The body is no valid JSON.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Problem('INVALID_INPUT', 'The body is not as long as its Content-Length says.'),
  FST_ERR_BAD_URL: () => new Problem('INVALID_INPUT', 'The path has a percent sign that starts no escape sequence.'),
};

/** What the operator is told of whatever was thrown. `undefined`: the fault is ours, and only the log is told of it. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof StoreError) return problemOfStore(error);
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  const known = ofTheFramework[String(code)];
  if (known !== undefined) return known();
  const isOfTheRequest = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return isOfTheRequest ? new Problem('INVALID_INPUT', 'The request cannot be understood.') : undefined;
}

/** The store's sentences are written for operators and go out as they are. */
function problemOfStore({ reason, message, isEngineFailure }: StoreError): Problem {
  if (isEngineFailure) return new Problem('STORE_UNAVAILABLE', message);
  if (reason.endsWith('_unknown')) return new Problem('NOT_FOUND', message);
  if (reason === 'email_taken') return new Problem('EMAIL_TAKEN', message);
  const field = fieldOf[reason];
  if (field === undefined) return new Problem('CONFLICT', message);
  return new Problem('INVALID_INPUT', message, { errors: invalid(field, message).errors! });
}
