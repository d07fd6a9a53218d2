import { z } from 'zod';
import { accountId, projectId, refreshId, requestId } from '../ids.ts';
import { ledgerAsset, productCode } from '../vocabulary.ts';

/** GET /accounts/{account_id}/balance: read from the journal's newest entry. */
export const balanceView = z.object({
  account_id: accountId,
  as_of_seq: z.int().min(0),
  balances: z.array(
    z.object({ asset: ledgerAsset, total: z.int(), held: z.int(), available: z.int() }),
  ),
});
export type BalanceView = z.infer<typeof balanceView>;

export const holdView = z.object({
  account_id: accountId,
  project_id: projectId,
  refresh_id: refreshId,
  asset: ledgerAsset,
  amount: z.int(),
  price_version: z.int(),
  reserved_at: z.iso.datetime(),
});

/** GET /accounts/{account_id}/holds and GET /holds?older_than_seconds=: oldest first. */
export const holdList = z.object({ items: z.array(holdView) });
export type HoldList = z.infer<typeof holdList>;

export const statementRow = z.object({
  entry_id: z.string(),
  at: z.iso.datetime(),
  kind: z.string(),
  asset: ledgerAsset,
  change_available: z.int(),
  change_held: z.int(),
  available_after: z.int(),
  held_after: z.int(),
  product_code: productCode.nullable(),
  price_version: z.int().nullable(),
  project_id: projectId.nullable(),
  refresh_id: refreshId.nullable(),
  request_id: requestId.nullable(),
  reason: z.string().nullable(),
});
export type StatementRow = z.infer<typeof statementRow>;

/** GET /accounts/{account_id}/statement?after_seq=&limit=: oldest first. */
export const statementPage = z.object({
  items: z.array(statementRow),
  /** Position to continue after; null on the last page. */
  next_after_seq: z.int().nullable(),
});
export type StatementPage = z.infer<typeof statementPage>;

/** POST /verify: every account refolded from its first entry. */
export const verifyReport = z.object({
  ok: z.boolean(),
  accounts: z.int(),
  entries: z.int(),
  problems: z.array(
    z.object({ account_id: z.string(), seq: z.int().nullable(), problem: z.string() }),
  ),
});
export type VerifyReport = z.infer<typeof verifyReport>;

/** GET /prices: the list in force. Prices are integers of credits, units cost the same numbers. */
export const priceList = z.object({
  version: z.int().min(1),
  effective_at: z.iso.datetime(),
  refresh_reservation: z.int().min(0),
  refresh_block: z.int().min(0),
  refresh_block_assets: z.int().min(1),
  refresh_diagnostic: z.int().min(0),
  live_page: z.int().min(0),
  current_page: z.int().min(0),
});
export type PriceList = z.infer<typeof priceList>;
