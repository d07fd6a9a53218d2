import { acceptanceOf } from '@inventory/contracts/internal/refresh';
import { acceptedRefresh } from '../../test/refresh-builder.ts';
import { acceptanceDocument, billingDocument } from './billing-document.ts';
import { toWireRecord } from './convert.ts';

describe('A refresh stored before subscription units', () => {
  test('shows what it showed then', () => {
    const billing = billingDocument.parse({
      state: 'finalized',
      disposition: 'finalize_complete',
      creditsReserved: 125,
      creditsCharged: 3,
      creditsReleased: 122,
    });

    expect(toWireRecord(acceptedRefresh({ phase: 'completed', billing }), 0).billing).toEqual({
      state: 'finalized',
      disposition: 'finalize_complete',
      credits_reserved: 125,
      credits_charged: 3,
      credits_released: 122,
    });
    const acceptance = acceptanceDocument.parse({ priceVersion: 1, creditsReserved: 125 });
    expect(acceptanceOf(acceptance)).toEqual({ price_version: 1, credits_reserved: 125 });
  });

  test('and one of today are distinguished', () => {
    const today = acceptedRefresh({}).billing;

    expect(billingDocument.parse(today)).toEqual(today);
  });
});
