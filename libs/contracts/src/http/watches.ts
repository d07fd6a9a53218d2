import { z } from 'zod';
import {
  accountId,
  credentialId,
  eventId,
  projectId,
  refreshId,
  watchId,
  webhookEndpointId,
} from '../ids.ts';
import { type InventoryKey, inventoryKey } from '../inventory-key.ts';
import { defaultLanguage, language } from '../languages.ts';
import { refreshOutcome, watchPauseReason, watchState } from '../vocabulary.ts';
import { strictWire, time, wire } from '../wire.ts';
import { itemError } from './error-body.ts';
import { pagination } from './meta.ts';
import { batchItems, listParameters, scopePath } from './parameters.ts';
import { maxCreditsMin } from './refresh.ts';
import { webhookDeliveryState } from './webhooks.ts';

/** Bounds of the time between two runs. */
export const everySecondsMin = 300;
export const everySecondsMax = 7 * 86_400;
const creditsPerDayMax = 1_000_000_000;
/** Watches of one batch at most. */
export const watchBatchMax = 100;
/** Largest body of a batch. */
export const watchBatchBytesMax = 64 * 1024;

const wanted = {
  everySeconds: z
    .int()
    .min(everySecondsMin)
    .max(everySecondsMax)
    .describe('A run in each of these periods, at a time of its own within it.'),
  language: language.default(defaultLanguage),
  maxCreditsPerDay: z
    .int()
    .min(maxCreditsMin)
    .max(creditsPerDayMax)
    .nullable()
    .default(null)
    .describe('Of its runs in a UTC day, what they hold included; null for no limit of its own.'),
};

const dryRun = z
  .boolean()
  .default(false)
  .describe('Nothing is stored: the response states what the watch would cost.');

/** Body of PUT …/watches/{platform_id}/{app_id}/{context_id}. */
export const watchBody = strictWire({ ...wanted, dryRun });

/** One watch of a batch. */
export const watchBatchItem = strictWire({ ...inventoryKey.shape, ...wanted });

/** Body of POST …/watches/batch: each item is validated on its own. */
export const watchBatchBody = strictWire({
  items: batchItems(watchBatchItem, watchBatchMax),
  dryRun,
});

export const watchScopePath = wire({ ...scopePath.shape, projectId });

/** Relative address of a watch. */
export function watchLink(project: string, { platform_id, app_id, context_id }: InventoryKey) {
  return `/v2/projects/${project}/watches/${platform_id}/${app_id}/${context_id}`;
}

const credits = z.int().min(0);

const watchFields = {
  scope: inventoryKey,
  everySeconds: z.int(),
  language,
  maxCreditsPerDay: z.int().nullable(),
  state: watchState,
  pausedReason: watchPauseReason.nullable(),
  nextRefreshAtMs: time
    .nullable()
    .describe('When the next run is due; of a paused watch, when its reason is checked again.'),
  lastRefreshId: refreshId.nullable(),
  lastOutcome: refreshOutcome.nullable().describe('Null while the last run is open.'),
};

/** One watch. */
export const watchView = wire({
  watchId: watchId.nullable().describe('Null in a dry run of an inventory that is not watched.'),
  ...watchFields,
  expectedCreditsPerMonth: credits.describe(
    'In 30 days at what its last runs cost; before the first one an estimate.',
  ),
  maximumCreditsPerMonth: credits.describe('It cannot cost more in a month of 31 days.'),
});
export type WatchView = z.output<typeof watchView>;

/** One watch as operators see it, without what it is expected to cost. */
export const watchRecord = wire({
  watchId,
  accountId,
  projectId,
  credentialId: credentialId.nullable().describe('That put it last.'),
  ...watchFields,
  createdAtMs: time,
});

/** A deleted watch. */
export const deletedWatch = wire({ watchId, deleted: z.literal(true) });

/** Query of GET …/watches. */
export const watchesQuery = z.object({
  state: watchState.optional().describe('Only watches in this state.'),
  ...listParameters,
});
export const watchList = z.object({
  items: z.array(watchView).describe('By inventory.'),
  pagination,
});

export const acceptedWatchItem = z.object({
  result: z.literal('accepted'),
  success: z.literal(true),
  status: z.int().min(200).max(201),
  data: watchView,
});
export const refusedWatchItem = z.object({
  result: z.literal('refused'),
  success: z.literal(false),
  status: z.int().min(400).max(599),
  error: itemError,
});
const watchBatchResult = z.discriminatedUnion('result', [acceptedWatchItem, refusedWatchItem]);
export type WatchBatchResult = z.output<typeof watchBatchResult>;
/** `data` of a batch: one result per item, in the order of the request. */
export const watchBatchResults = z.object({ items: z.array(watchBatchResult) });

/** Query of GET …/runs. */
export const watchRunsQuery = z.object({
  charged: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      '`true`: only runs that cost something; `false`: only runs that cost nothing. Neither has open runs.',
    ),
  ...listParameters,
});

/** One run of a watch. */
export const watchRun = wire({
  refreshId,
  atMs: time,
  outcome: refreshOutcome.nullable().describe('Null while it is open.'),
  creditsCharged: z.int().nullable().describe('Null while it is open; 0 where units pay.'),
  unitsCharged: z.int().nullable().describe('Null while it is open; 0 where credits pay.'),
  eventId,
  deliveries: z
    .array(wire({ endpointId: webhookEndpointId, state: webhookDeliveryState }))
    .describe('Of its event, to the webhook endpoints of the Project.'),
});
export const watchRunList = z.object({
  items: z.array(watchRun).describe('Newest first.'),
  pagination,
});

/** `data` of POST …/watches/test. */
export const watchTest = wire({
  eventId,
  endpoints: z.array(webhookEndpointId).describe('To which the sample is sent.'),
});
