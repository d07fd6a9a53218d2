import { z } from 'zod';
import { eventId } from '../ids.ts';
import { strictWire, time, wire } from '../wire.ts';
import { spendCap } from './credentials.ts';
import { projectEventType } from './project-event.ts';

/** Body of POST /v2/sandbox/events. */
export const triggeredType = strictWire({ type: projectEventType });
/** `data` of POST /v2/sandbox/events. */
export const triggeredEvent = wire({ eventId });

/** `data` of POST /v2/sandbox/expired-cursor. */
export const expiredCursor = z.object({ cursor: z.string() });

/** Body and `data` of POST /v2/sandbox/spend-cap. */
export const projectSpendCap = strictWire({ cap: spendCap.describe('Null for none.') });

/** Body of POST /v2/sandbox/inventories/{platform_id}/{app_id}/{context_id}/age. */
export const inventoryAging = strictWire({
  seconds: z
    .int()
    .min(1)
    .max(365 * 24 * 3_600),
});
/** `data` of the same; null where nothing is saved any more. */
export const agedInventory = wire({ verifiedAtMs: time.nullable() });
