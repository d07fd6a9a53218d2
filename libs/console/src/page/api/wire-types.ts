/** What the API sends: the nouns of the client library, and those that it has no calls for. */
import type { RefreshOutcome } from '@inventory/client/records';
import type { credentialList, issuedCredential } from '@inventory/contracts/http/credentials';
import type { errorBody } from '@inventory/contracts/http/error-body';
import type { exportEnd } from '@inventory/contracts/http/export';
import type { serviceStatus } from '@inventory/contracts/http/status';
import type {
  webhookDeliveryList,
  webhookEndpointList,
  webhookEndpointWithSecret,
} from '@inventory/contracts/http/webhooks';
import type { z } from 'zod';

export type {
  Account,
  Prices,
  Project,
  StatementPage as Statement,
  Usage,
} from '@inventory/client/account-records';
export type { PlacedEvent, ProjectEvent } from '@inventory/client/event-records';
export type {
  Asset,
  ChangesPage as Changes,
  Description,
  InventorySummary as Summary,
  Meta,
  RefreshRecord as Refresh,
  Scope,
  Watch,
  WatchRun,
} from '@inventory/client/records';

export type Outcome = RefreshOutcome;
export type { GrantedPermission as Permission } from '@inventory/contracts/vocabulary';
export type ErrorBody = z.input<typeof errorBody>;
export type Status = z.input<typeof serviceStatus>;
export type ExportEnd = z.input<typeof exportEnd>;
export type ListedKey = z.input<typeof credentialList>['items'][number];
export type IssuedKey = z.input<typeof issuedCredential>;
export type ListedEndpoint = z.input<typeof webhookEndpointList>['items'][number];
export type NewEndpoint = z.input<typeof webhookEndpointWithSecret>;
export type Delivery = z.input<typeof webhookDeliveryList>['items'][number];

/** A list, or one page of it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly pagination: { readonly has_more: boolean; readonly next_cursor: string | null };
}
