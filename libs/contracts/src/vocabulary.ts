import { z } from 'zod';

/** Products that are paid from a hold. */
export const heldProducts = [
  'platform.inventory.refresh.v1',
  'platform.inventory.watch.v1',
] as const;
export type HeldProduct = (typeof heldProducts)[number];

/** Products that are charged page by page, without a hold. */
export const pageProducts = [
  'platform.inventory.current.page.v1',
  'platform.inventory.changes.page.v1',
  'platform.inventory.page.v1',
] as const;
export type PageProduct = (typeof pageProducts)[number];

/** Products a customer is billed for. */
export const productCode = z.enum([...heldProducts, ...pageProducts]);
export type ProductCode = z.infer<typeof productCode>;

/** Blocks of a refresh in one of an unchanged run of a watch. */
export const unchangedBlocks = 4;

export function isHeldProduct(product: ProductCode): product is HeldProduct {
  return (heldProducts as readonly ProductCode[]).includes(product);
}

/** How a terminal refresh ended. */
export const refreshOutcomes = [
  'complete_changed',
  'complete_unchanged',
  'private',
  'not_found',
  'upstream_unavailable',
  'incomplete',
  'cancelled',
  'internal_failure',
] as const;
export const refreshOutcome = z.enum(refreshOutcomes);
export type RefreshOutcome = z.infer<typeof refreshOutcome>;

/** States a client sees; only `completed` is terminal. */
export const refreshState = z.enum(['accepted', 'queued', 'collecting', 'settling', 'completed']);
export type RefreshState = z.infer<typeof refreshState>;

export const billingState = z.enum(['reserved', 'pending', 'finalized']);

/** How the hold of a refresh was settled; one that is completed from what is saved had none. */
export const settlementDisposition = z.enum([
  'finalize_complete',
  'finalize_diagnostic',
  'finalize_saved',
  'release',
]);
export type SettlementDisposition = z.infer<typeof settlementDisposition>;

/** Where the result of a refresh comes from. */
export const servedFrom = z.enum(['scan', 'saved']);

/** `meta.billing_disposition` of page reads and of refresh acceptance. */
export const billingDisposition = z.enum(['reserved', 'charged', 'not_charged', 'allowance_used']);

export const billingReason = z.enum([
  'no_revision',
  'no_changes',
  'private_confirmed',
  'not_found_confirmed',
  'subscription_allowance',
  'idempotent_replay',
]);
export type BillingReason = z.infer<typeof billingReason>;

/** What an account pays with: prepaid credits or subscription units, never mixed. */
export const ledgerAssets = ['credits', 'units'] as const;
export const ledgerAsset = z.enum(ledgerAssets);
export type LedgerAsset = z.infer<typeof ledgerAsset>;

/** How an account is funded; `subscription` pays with units, `credits` with prepaid credits. */
export const fundingMode = z.enum(['credits', 'subscription']);

/** Content codings in which a response may be packed. */
export const contentCodings = ['br', 'gzip', 'zstd'] as const;
export const contentCoding = z.enum(contentCodings);
export type ContentCoding = z.infer<typeof contentCoding>;

/** Which descriptions a page of Current has: those of its assets, or none. */
export const descriptions = z.enum(['page', 'none']);
export type Descriptions = z.infer<typeof descriptions>;

/** The forms of an exported inventory, by their media types. */
export const exportFormats = {
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
} as const;
export const exportFormat = z.enum(['ndjson', 'csv']);
export type ExportFormat = z.infer<typeof exportFormat>;

/** A line of an export: what is around the text of an asset and that of its description. */
export const exportFrames: Readonly<Record<ExportFormat, ExportFrame>> = {
  ndjson: { before: '{"asset":', between: ',"description":', after: '}\n', missing: 'null' },
  csv: { before: '', between: ',', after: '\r\n', missing: '' },
};
export interface ExportFrame {
  readonly before: string;
  readonly between: string;
  readonly after: string;
  /** Instead of a description that is missing. */
  readonly missing: string;
}

/** Columns of an inventory as CSV: of the asset, then of its description. */
export const exportColumns = {
  asset: ['assetid', 'classid', 'instanceid', 'appid', 'contextid', 'amount', 'currencyid'],
  description: ['market_hash_name', 'name', 'type', 'tradable', 'marketable'],
} as const;

/** Permissions a Credential can hold. The legacy wildcard grants the three inventory permissions only. */
export const inventoryPermissions = [
  'platform.inventory.refresh.v1',
  'platform.inventory.current.page.v1',
  'platform.inventory.page.v1',
] as const;
export const explicitPermissions = [
  'customer.events.read.v1',
  'customer.webhooks.manage.v1',
  'customer.account.read.v1',
  'customer.account.manage.v1',
  'customer.credentials.manage.v1',
] as const;
export const wildcardPermission = '*';
export const permissions = [...inventoryPermissions, ...explicitPermissions] as const;
export const permission = z.enum(permissions);
export type Permission = z.infer<typeof permission>;
export const grantedPermission = z.enum([...permissions, wildcardPermission]);
export type GrantedPermission = z.infer<typeof grantedPermission>;

/** What an operator may do: every role includes `read`, and `admin` includes every other. */
export const operatorRole = z.enum(['read', 'support', 'billing', 'admin']);
export type OperatorRole = z.infer<typeof operatorRole>;

/** Why a watch has no runs. */
export const watchPauseReason = z.enum([
  'insufficient_funds',
  'spend_cap_reached',
  'daily_limit_reached',
  'permission_removed',
  'owner_suspended',
  'operator_paused',
]);
export type WatchPauseReason = z.infer<typeof watchPauseReason>;
export const watchState = z.enum(['active', 'paused']);

/** Why admission is closed for every refresh of an application, whatever its size. */
export const closedReason = z.enum([
  'global_outstanding_closed',
  'platform_unavailable',
  'operator_closed',
]);
export type ClosedReason = z.infer<typeof closedReason>;
export const admissionReason = z.enum([...closedReason.options, 'capacity', 'inventory_too_large']);

/** Why the platform could not be read. */
export const upstreamReason = z.enum([
  'throttled',
  'egress_busy',
  'breaker_open',
  'bad_answer',
  'unconfirmed',
]);
/** Why a live page could not be read: it is not billed. */
export const livePageFailures = [...upstreamReason.options, 'timeout'] as const;
export type LivePageFailure = (typeof livePageFailures)[number];

/**
 * The check of a last page without assets. `confirmed`: the page before ends as it did. `moved`: it
 * ends elsewhere; the response is that page, read again, and the inventory continues after it.
 */
export const endCheckResult = z.enum(['confirmed', 'moved']);
export type EndCheckResult = z.infer<typeof endCheckResult>;

/** Most assets on one page of Current and V1. */
export const pageAssetsMax = 2000;

/** Most assets that one request looks up. */
export const lookupAssetsMax = 100;
