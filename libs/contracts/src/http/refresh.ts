import { z } from 'zod';
import { refreshId, revisionId, watchId } from '../ids.ts';
import { inventoryKey } from '../inventory-key.ts';
import { defaultLanguage, language } from '../languages.ts';
import {
  billingState,
  heldProducts,
  refreshOutcome,
  refreshState,
  servedFrom,
  settlementDisposition,
} from '../vocabulary.ts';
import { strictWire, time, wire } from '../wire.ts';
import { pagination } from './meta.ts';
import {
  decimalWithDefault,
  listParameters,
  queryTimeMs,
  scopePath,
  waitSecondsMax,
} from './parameters.ts';

/** Least `max_credits` of a refresh, whatever a price list reserves. */
export const maxCreditsMin = 125;

/** Below it or the reservation of the price list in force it has an error code of its own. */
export const maxCredits = z
  .int()
  .describe(
    'Most credits, or subscription units, that the refresh may hold and cost. At least 125, or ' +
      'the `reservation` of the price list in force (`GET /v2/prices`) where that is more.',
  );

/** Oldest observation that may complete a refresh. */
export const maxAgeSecondsMax = 86_400;

export const maxAgeSeconds = z
  .int()
  .min(0)
  .max(maxAgeSecondsMax)
  .optional()
  .describe(
    'A saved observation in this language, verified no longer ago than this, completes it at once and ' +
      'free; without one the platform is scanned. Absent: it is always scanned.',
  );

/** Body of POST Refresh. */
export const refreshRequestBody = strictWire({
  maxCredits: maxCredits.meta({ minimum: maxCreditsMin }),
  language: language.default(defaultLanguage),
  maxAgeSeconds,
});

/**
 * The charged and released amounts are null until finalized. The amounts in units, with `funding`, are
 * present where subscription units pay; the amounts in credits are 0 then.
 */
export const refreshBilling = wire({
  state: billingState,
  disposition: settlementDisposition.nullable(),
  creditsReserved: z.int(),
  creditsCharged: z.int().nullable(),
  creditsReleased: z.int().nullable(),
  funding: z
    .literal('subscription')
    .optional()
    .describe('Present where subscription units pay, as are the amounts in units.'),
  unitsReserved: z.int().min(0).optional(),
  unitsCharged: z.int().min(0).nullable().optional(),
  unitsReleased: z.int().min(0).nullable().optional(),
});

const recordFields = {
  refreshId,
  scope: inventoryKey,
  state: refreshState,
  requestedAtMs: time,
  completedAtMs: time.nullable(),
  deadlineAtMs: time.nullable(),
  outcome: refreshOutcome.nullable(),
  revisionId: revisionId.nullable(),
  links: z
    .object({
      current: z.string(),
      changes: z
        .string()
        .optional()
        .describe('Since the revision that this one replaced; present where it replaced one.'),
    })
    .optional()
    .describe('Present where a revision was saved. Relative to the base address.'),
  servedFrom: servedFrom.describe(
    '`saved` where it was completed by an observation that is no older than `max_age_seconds`.',
  ),
  verifiedAtMs: time
    .nullable()
    .describe('The end of the scan that saw this revision; null while there is none.'),
  watchId: watchId.nullable().describe('The watch whose run it is; null where there is none.'),
  productCode: z
    .enum(heldProducts)
    .describe('What it is charged under; a run of a watch has its own.'),
  billingState,
  billingDisposition: settlementDisposition.nullable(),
  billing: refreshBilling,
};

/** `data` of refresh acceptance, status, cancel and of the items of the list. */
export const refreshRecord = wire(recordFields);
export type RefreshRecord = z.output<typeof refreshRecord>;

/** `data` of status; with an expected time while pending. */
export const refreshStatus = wire({
  ...recordFields,
  expectedCompletedAtMs: time
    .nullable()
    .optional()
    .describe('An estimate; present while the refresh is pending, null when unknown.'),
});

/** Query of status. */
export const refreshQuery = z.object({
  wait: decimalWithDefault(0, waitSecondsMax, 0).describe(
    'Longest wait for the refresh to be terminal, in seconds.',
  ),
});

export function refreshLink(id: string): string {
  return `/v2/platform/inventory-refreshes/${id}`;
}

const repetitionsMax = 100;

const ofScope = scopePath.partial().shape;
const onlyOfInventory = 'Only of this inventory; given with its other parts.';

/** Query of the list of a Project's refreshes; `state`, `outcome` and `refresh_id` are repeatable. */
export const refreshesQuery = wire({
  state: z
    .array(refreshState)
    .max(repetitionsMax, `may be given ${repetitionsMax} times`)
    .describe('Only refreshes in one of these states; all when absent.'),
  refreshId: z
    .array(refreshId)
    .max(repetitionsMax, `may be given ${repetitionsMax} times`)
    .describe('Only these refreshes; all when absent.'),
  outcome: z
    .array(refreshOutcome)
    .max(repetitionsMax, `may be given ${repetitionsMax} times`)
    .describe('Only refreshes with one of these outcomes; all when absent.'),
  platform_id: ofScope.platform_id.describe(onlyOfInventory),
  app_id: ofScope.app_id.describe(onlyOfInventory),
  context_id: ofScope.context_id.describe(onlyOfInventory),
  from: queryTimeMs.optional().describe('Requested at this time or later.'),
  to: queryTimeMs.optional().describe('Requested before this time.'),
  ...listParameters,
}).superRefine((query, context) => {
  const parts = ['platform_id', 'app_id', 'context_id'] as const;
  const missing = parts.filter((part) => query[part] === undefined);
  if (missing.length === parts.length) return;
  const message = 'is required: an inventory is given by platform_id, app_id and context_id';
  for (const part of missing) context.addIssue({ code: 'custom', path: [part], message });
});

/** `data` of the list, newest first. */
export const refreshPage = z.object({
  items: z.array(refreshRecord).describe('Newest first.'),
  pagination,
});
