import type { BillingRefusal } from '@inventory/contracts/refusal';
import { type EntryDocument, fromEntryDocument, toEntryDocument } from './entry-document.ts';

const document = {
  seq: 7,
  at: new Date('2026-11-24T10:00:00.000Z'),
  kind: 'refuse',
  command: 'reserve',
  asset: 'credits',
  change: {},
  after: { available: 3, issued: 3 },
} as const satisfies EntryDocument;
const resets_at = '2026-12-01T00:00:00.000Z';

/** As earlier releases journaled them, and what they are now. */
const earlier: readonly (readonly [EntryDocument['refusal'] & object, BillingRefusal])[] = [
  [
    { code: 'insufficient_units', required: 125, available: 3 },
    { code: 'insufficient_units', detail: { required: 125, available: 3 } },
  ],
  [
    {
      code: 'spend_cap_reached',
      required: 125,
      available: 20,
      cap: 500,
      spent: 480,
      resetsAt: new Date(resets_at),
    },
    { code: 'spend_cap_reached', detail: { cap: 500, spent: 480, resets_at } },
  ],
  [{ code: 'hold_unknown' }, { code: 'hold_unknown' }],
] as readonly (readonly [EntryDocument['refusal'] & object, BillingRefusal])[];

test.each(earlier)('a refusal journaled as %j is read as %j', (refusal, present) => {
  const entry = fromEntryDocument({ ...document, refusal });

  expect(entry.refusal).toEqual(present);
  expect(toEntryDocument(entry).refusal).toEqual(present);
  expect(fromEntryDocument(toEntryDocument(entry))).toEqual(entry);
});
