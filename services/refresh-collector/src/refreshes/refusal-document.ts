import { recordedRefreshRefusal } from '@inventory/contracts/recorded-refusals';
import { isoTime } from '@inventory/runtime/clock';
import { z } from 'zod';

/** A refusal as earlier releases stored it: some of its fields had other names. */
const earlierNames = z.looseObject({
  limit: z
    .union([z.int(), z.object({ cap: z.int(), spent: z.int(), resetsAtMs: z.number() })])
    .nullish(),
  retryAfterSeconds: z.int().optional(),
});

/** A stored refusal of this or an earlier release. */
export const refusalDocument = z.preprocess((stored) => {
  const earlier = earlierNames.safeParse(stored);
  return earlier.success ? withPresentNames(earlier.data) : stored;
}, recordedRefreshRefusal);

function withPresentNames({ limit, retryAfterSeconds, ...fields }: z.infer<typeof earlierNames>) {
  const retry = retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds };
  const refusal = { ...fields, ...retry };
  if (typeof limit === 'number') return { ...refusal, limit };
  if (!limit) return refusal;
  const { cap, spent, resetsAtMs } = limit;
  return { ...refusal, cap, spent, resets_at: isoTime(resetsAtMs) };
}
