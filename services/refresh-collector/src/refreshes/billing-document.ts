import { billingState, ledgerAsset, settlementDisposition } from '@inventory/contracts/vocabulary';
import { z } from 'zod';
import type { Refresh, Reservation } from './refresh.domain.ts';

/*
 * Both forms are stored: records are retained for weeks. Before subscription units every figure was
 * of credits; the schemas turn that form into the present one.
 */

const progress = { state: billingState, disposition: settlementDisposition.nullable() };

const creditsBilling = z
  .object({
    ...progress,
    creditsReserved: z.int(),
    creditsCharged: z.int().nullable(),
    creditsReleased: z.int().nullable(),
  })
  .transform(
    ({ creditsReserved, creditsCharged, creditsReleased, ...fields }): Refresh['billing'] => ({
      ...fields,
      asset: 'credits',
      reserved: creditsReserved,
      charged: creditsCharged,
      released: creditsReleased,
    }),
  );

export const billingDocument = z.union([
  z.object({
    ...progress,
    asset: ledgerAsset,
    reserved: z.int(),
    charged: z.int().nullable(),
    released: z.int().nullable(),
  }),
  creditsBilling,
]);

/** The remainder was not stored: it is reported for units only. */
const creditsAcceptance = z.object({ priceVersion: z.int(), creditsReserved: z.int() }).transform(
  ({ priceVersion, creditsReserved: amount }): Reservation => ({
    priceVersion,
    asset: 'credits',
    amount,
    available: 0,
  }),
);

export const acceptanceDocument = z.union([
  z.object({ priceVersion: z.int(), asset: ledgerAsset, amount: z.int(), available: z.int() }),
  creditsAcceptance,
]);
