import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ExportProgress } from '@inventory/client/options';
import type { Asset, Description, RefreshRecord } from '@inventory/client/records';
import { z } from 'zod';
import { namesIn } from '../changes.ts';
import { defineTool, type Tool, textLike } from './tool.ts';

const waitSeconds = 30;
const shownMax = 20;
const assetIdsMax = 50;
/** Of a text of the platform, which may have any length. */
const nameCharsMax = 100;
/** An export is charged by these. */
const pageRows = 2_000;

const count = (maximum: number) => z.int().min(1).max(maximum);
const ofInventory = {
  platform_id: textLike(/^[0-9]{17}$/, 'must be text of 17 digits'),
  app_id: count(2 ** 32 - 1),
  context_id: count(2 ** 31 - 1),
};
const language = textLike(/^[a-z]{2,20}$/, 'must be a word as english');
const ofRead = { ...ofInventory, language: language.optional() };
const assetId = textLike(/^[0-9]{1,20}$/, 'must be text of 1 to 20 digits');
const revisionId = textLike(/^invrev_[0-9a-f-]{36}$/, 'must be invrev_ and a UUID');

const summary = defineTool({
  name: 'summarize_inventory',
  description:
    'What is saved of an inventory: its revision, when it was verified, how many items, and whether ' +
    'a refresh of it is under way. Call it before anything that costs.',
  input: z.strictObject(ofInventory),
  run: ({ client }, inventory, call) => client.summary(inventory, call),
});

const refresh = defineTool({
  name: 'refresh_inventory',
  description:
    'Collects the whole inventory from the platform, and waits up to 30 seconds. While its state is not ' +
    'completed, call it again with the same arguments: it goes on, and nothing is requested twice.',
  price: ({ refresh: { reservation, block, block_assets, diagnostic } }) =>
    `${reservation} are reserved; ${block} is charged for each started ${block_assets} items, ` +
    `${diagnostic} if it is private or not found, nothing if it fails or if a saved one is no older ` +
    'than max_age_seconds.',
  permission: 'platform.inventory.refresh.v1',
  input: z.strictObject({
    ...ofRead,
    max_age_seconds: z.int().min(0).max(86_400).optional(),
    max_credits: count(1_000_000_000).optional().describe('The reservation by default.'),
  }),
  async run({ client }, { language, max_age_seconds, max_credits, ...inventory }, call) {
    const wanted = { language, maxAge: max_age_seconds, maxCredits: max_credits };
    const { record } = await client.refresh(inventory, { ...call, ...wanted });
    if (record.state === 'completed') return record;
    return (await client.status(record.refresh_id, { ...call, waitSeconds })).record;
  },
  isEnded: (record) => (record as RefreshRecord).state === 'completed',
});

const changes = defineTool({
  name: 'read_changes',
  description: `What changed since a saved revision: counts, and the first ${shownMax} changes.`,
  price: ({ changes_page: { page } }) => `${page}; nothing if nothing changed.`,
  permission: 'platform.inventory.current.page.v1',
  input: z.strictObject({ ...ofRead, since: revisionId }),
  async run({ client }, { language, since, ...inventory }, call) {
    const options = { ...call, language, pageSize: shownMax };
    const { page, meta } = await client.changesPage(inventory, since, options);
    const { from_revision_id, to_revision_id, verified_at, counts, pagination } = page;
    const shown = shownWith(page.descriptions);
    const changed = page.changed.slice(0, shownMax);
    return {
      ...{ from_revision_id, to_revision_id, verified_at, counts, has_more: pagination.has_more },
      added: page.added.slice(0, shownMax).map(shown),
      removed: page.removed.slice(0, shownMax).map(shown),
      changed: changed.map(({ asset, amount_before }) => ({ ...shown(asset), amount_before })),
      meta,
    };
  },
});

const findAssets = defineTool({
  name: 'find_assets',
  description: `Which of up to ${assetIdsMax} assets the latest saved inventory has.`,
  price: ({ current_page: { page } }) => `${page}.`,
  permission: 'platform.inventory.current.page.v1',
  input: z.strictObject({ ...ofRead, asset_ids: z.array(assetId).min(1).max(assetIdsMax) }),
  async run({ client }, { language, asset_ids: assetIds, ...inventory }, call) {
    const { page, meta } = await client.currentPage(inventory, { ...call, language, assetIds });
    const { revision_id, verified_at, not_in_revision = [] } = page;
    const found = page.assets.slice(0, assetIdsMax).map(shownWith(page.descriptions));
    const missing = not_in_revision.slice(0, assetIdsMax);
    return { revision_id, verified_at, found, not_in_revision: missing, meta };
  },
});

const exportInventory = defineTool({
  name: 'export_inventory',
  description:
    'Writes the latest saved inventory to a new local file, a line of JSON for each asset with its ' +
    'description. The result has path, rows and digest: read what you need from the file.',
  price: ({ current_page: { page } }) => `${page} for each started ${pageRows} rows.`,
  permission: 'platform.inventory.current.page.v1',
  input: z.strictObject(ofRead),
  async run({ client, exportsPath }, { language, ...inventory }, { signal, idempotencyKey }) {
    await mkdir(exportsPath, { recursive: true, mode: 0o700 });
    const path = join(exportsPath, `${Object.values(inventory).join('-')}-${randomUUID()}.ndjson`);
    const digest = createHash('sha256');
    let head: ExportProgress | undefined;
    const onProgress = (progress: ExportProgress): void => {
      head ??= progress;
    };
    async function* counted(lines: AsyncIterable<Uint8Array>) {
      for await (const line of lines) {
        digest.update(line);
        yield line;
      }
    }
    try {
      const options = { signal, idempotencyKey, language, onProgress };
      const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
      await pipeline(client.exportLines(inventory, options), counted, file, { signal });
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    const { rows, revisionId: revision_id, observationId: observation_id } = head ?? {};
    return { path, rows, sha256: digest.digest('hex'), revision_id, observation_id };
  },
});

export const inventoryTools: readonly Tool[] = [
  summary,
  refresh,
  changes,
  findAssets,
  exportInventory,
];

/** Shows an asset with the name of its description. */
function shownWith(descriptions: readonly Description[]) {
  const nameOf = namesIn(descriptions);
  return (asset: Asset) => {
    const { assetid, amount, classid, instanceid } = asset;
    return { assetid, amount, classid, instanceid, name: nameOf(asset)?.slice(0, nameCharsMax) };
  };
}
