/**
 * Responses of the service, with their names on the wire. The types are those of the OpenAPI
 * document; fields and values that a later version adds pass through.
 */
import type { ApiError } from './errors.ts';
import type { components, Open as OpenValue } from './generated/wire-types.ts';

type Schemas = components['schemas'];

/** One of the known values, or one that is added within the version. */
export type Open<Known extends string> = OpenValue<Known>;

/** One inventory. `platform_id` is 17 digits. */
export type Scope = Schemas['Scope'];

/** What is saved of an inventory, without its rows. */
export type InventorySummary = Schemas['InventorySummary'];

/** A refresh: workflow and billing, never inventory. Times are ISO 8601 UTC. */
export type RefreshRecord = Schemas['RefreshStatus'];
export type RefreshState = RefreshRecord['state'];
export type RefreshOutcome = NonNullable<RefreshRecord['outcome']>;

/** Whole credits, or units of a subscription; charged and released are null until finalized. */
export type RefreshBilling = Schemas['RefreshBilling'];
export type BillingState = RefreshBilling['state'];
export type SettlementDisposition = NonNullable<RefreshBilling['disposition']>;

export type RateLimit = Schemas['RateLimit'];
export type BillingDisposition = Schemas['PageReadMeta']['billing_disposition'];

/** Request and billing information; which fields are present depends on the operation. */
export type Meta = Schemas['PlainMeta'] &
  EitherOf<Schemas['RefreshAcceptanceMeta'], Schemas['PageReadMeta']>;

type EitherOf<One, Other> = {
  readonly [Field in keyof One | keyof Other]?:
    | (Field extends keyof One ? One[Field] : never)
    | (Field extends keyof Other ? Other[Field] : never);
};

/** An inventory that is refreshed again and again. */
export type Watch = Schemas['Watch'];
/** What became of one watch of a batch. */
export type WatchResult =
  | { readonly accepted: true; readonly watch: Watch }
  | { readonly accepted: false; readonly error: ApiError };
/** The sample event of `testWatches`, and the webhook endpoints that it is sent to. */
export type WatchTest = Schemas['WatchTest'];
/** One run of a watch: a refresh, and the deliveries of its event. */
export type WatchRun = Schemas['WatchRun'];

/** One item instance. Ids are text: they exceed the safe integers. */
export type Asset = Schemas['Asset'];
export type Description = Schemas['Description'];

/** `next_cursor` is null or absent on the last page. */
export type Pagination = Pick<Schemas['Pagination'], 'has_more'> & Partial<Schemas['Pagination']>;

/** One page of a saved revision. */
export interface CurrentPage extends Omit<Schemas['CurrentPage'], 'total_amount'> {
  /** Stacked amounts of the whole inventory, exact: it may exceed the safe integers. */
  readonly total_amount: bigint;
}

/** One page read from the platform during the request. */
export type LivePage = Schemas['LivePage'];

/** One page of what changed between two revisions; each list is in the order of `assetid`. */
export type ChangesPage = Schemas['ChangesPage'];

export type RefreshPage = Schemas['RefreshPage'];

/** A refresh as of one response. */
export interface RefreshAnswer {
  readonly record: RefreshRecord;
  readonly meta: Meta;
  /** When to poll again; null once collection and billing are both terminal. */
  readonly retryAfterSeconds: number | null;
  /** The Idempotency-Key was used before: this is the refresh of its first use. */
  readonly replayed: boolean;
}

/** The result of one refresh of a batch, as of a single request. */
export type BatchResult =
  | {
      readonly accepted: true;
      readonly idempotencyKey: string;
      readonly answer: RefreshAnswer;
    }
  | {
      readonly accepted: false;
      /** Where the error is retryable, the same key and inputs may be sent again. */
      readonly idempotencyKey: string;
      readonly error: ApiError;
    };

/** A page with what it cost. */
export interface PageAnswer<Page> {
  readonly page: Page;
  readonly meta: Meta;
  /** A page that was charged before for the same Idempotency-Key, and not again. */
  readonly replayed: boolean;
}

/** All assets of one saved revision. */
export interface WholeInventory {
  readonly revisionId: string;
  readonly observationId: string;
  readonly rows: readonly DescribedAsset[];
}

/** An asset with its description; null where the platform has none. */
export interface DescribedAsset {
  readonly asset: Asset;
  readonly description: Description | null;
}
