import { canonicalDecimal } from '@inventory/contracts/http/parameters';
import { z } from 'zod';

/** Path parameters that name what one worker stages of a scan. */
export const epochPath = z.object({ scan_id: z.uuid(), epoch: canonicalDecimal(1, 2 ** 31 - 1) });
