import { refusalCodes } from './refusal-codes.ts';

/** The table of the contract, and the codes of operators and of calls between services. */
const codesByStatus: Readonly<Record<number, readonly string[]>> = {
  400: ['malformed_request', 'malformed_json'],
  401: ['missing_api_key', 'invalid_api_key', 'operator_token_required', 'service_token_required'],
  402: ['insufficient_credits', 'insufficient_units', 'spend_cap_reached'],
  403: ['permission_denied', 'inventory_private', 'operator_role_required', 'caller_not_permitted'],
  404: [
    'webhook_endpoint_not_found',
    'event_not_found',
    'route_not_found',
    'refresh_not_found',
    'project_not_found',
    'inventory_revision_not_found',
    'inventory_not_found',
    'watch_not_found',
    'credential_not_found',
    'account_not_found',
    'service_account_not_found',
  ],
  405: ['method_not_allowed'],
  406: ['not_acceptable'],
  408: ['request_timeout'],
  409: [
    'webhook_endpoint_limit_reached',
    'secret_rotation_in_progress',
    'price_version_conflict',
    'effective_date_too_early',
    'idempotency_conflict',
    'idempotency_in_progress',
    'replays_exhausted',
    'refresh_already_completed',
    'credential_revoked',
    'credential_limit_reached',
    'concurrent_change',
    'balance_limit_exceeded',
    'chunk_conflict',
    'inventory_erased',
    'hold_unknown',
    'already_reversed',
    'charge_unknown',
  ],
  410: ['cursor_expired', 'revision_expired'],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  422: [
    'invalid_request',
    'max_credits_too_low',
    'invalid_cursor',
    'usage_too_large',
    'digest_mismatch',
  ],
  429: [
    'rate_limit_exceeded',
    'outstanding_limit_exceeded',
    'stream_limit_exceeded',
    'watch_limit_exceeded',
    'operator_throttled',
  ],
  431: ['headers_too_large'],
  500: ['internal_error'],
  502: ['upstream_unavailable'],
  503: ['product_unavailable', 'billing_unavailable', 'service_unavailable'],
  504: ['upstream_timeout'],
};

test('every code has the one status of the table (Errors: one code, one status) [error-codes]', () => {
  const expected = Object.entries(codesByStatus).flatMap(([status, codes]) =>
    codes.map((code) => [code, Number(status)]),
  );
  const actual = Object.entries(refusalCodes).map(([code, { status }]) => [code, status]);

  expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected));
});
