import type { RefreshRefusal } from '@inventory/contracts/refusal';
import { refusalDocument } from './refusal-document.ts';

const resetsAtMs = Date.UTC(2026, 11, 1);
const month = { cap: 500, spent: 480, resets_at: '2026-12-01T00:00:00.000Z' };

/** As earlier releases stored them, and what they are now. */
const earlier: readonly (readonly [object, RefreshRefusal])[] = [
  [
    { code: 'insufficient_credits', required: 125, available: 3 },
    { code: 'insufficient_credits', detail: { required: 125, available: 3 } },
  ],
  [
    {
      code: 'spend_cap_reached',
      required: 125,
      available: 20,
      limit: { cap: 500, spent: 480, resetsAtMs },
    },
    { code: 'spend_cap_reached', detail: month },
  ],
  [
    { code: 'spend_cap_reached', required: 125, available: 20, limit: null },
    { code: 'spend_cap_reached' },
  ],
  [
    { code: 'outstanding_limit_exceeded', limit: 40, retryAfterSeconds: 5 },
    {
      code: 'outstanding_limit_exceeded',
      detail: { limit: 'account_count', outstanding_max: 40 },
      retry_after_seconds: 5,
    },
  ],
  [
    { code: 'product_unavailable', reason: 'operator_closed', retryAfterSeconds: 60 },
    {
      code: 'product_unavailable',
      detail: { admission_state: 'closed', reason: 'operator_closed' },
      retry_after_seconds: 60,
    },
  ],
  [{ code: 'cancelled' }, { code: 'service_unavailable', retry_after_seconds: 1 }],
];

test.each(earlier)('%j of an earlier release is read as %j', (document, refusal) => {
  expect(refusalDocument.parse(document)).toEqual(refusal);
});

test.each(earlier.map(([, refusal]) => refusal))('%j is stored and read unchanged', (refusal) => {
  expect(refusalDocument.parse(refusal)).toEqual(refusal);
});
