import { z } from 'zod';

/** One inventory: `app_id` + `context_id` of a platform account are one identity. */
export const scope = z.object({
  platform_id: z.string().regex(/^[0-9]{17}$/, 'must be 17 digits'),
  app_id: z
    .int()
    .min(1)
    .max(2 ** 32 - 1),
  context_id: z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
});
export type Scope = z.infer<typeof scope>;

/** The scope as one string, for keys and indexes. */
export function scopeKey(of: Scope): string {
  return `${of.platform_id}/${of.app_id}/${of.context_id}`;
}
