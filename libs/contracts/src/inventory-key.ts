import { z } from 'zod';

/** One inventory: `app_id` + `context_id` of a platform account are one identity. On the wire: `scope`. */
export const inventoryKey = z.object({
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
export type InventoryKey = z.infer<typeof inventoryKey>;

/** The key as one string, for indexes, caches and message keys. */
export function inventoryKeyText(key: InventoryKey): string {
  return `${key.platform_id}/${key.app_id}/${key.context_id}`;
}

export function inventoryKeyOf(text: string): InventoryKey {
  const [platform_id, appId, contextId] = text.split('/');
  return inventoryKey.parse({
    platform_id,
    app_id: Number(appId),
    context_id: Number(contextId),
  });
}
