/** What the API sends, by the contracts that the service itself is compiled with. */
import type {
  accountStatement,
  accountUsage,
  accountView,
  projectView,
} from '@inventory/contracts/http/account';
import type { changesPage } from '@inventory/contracts/http/changes';
import type { credentialList, issuedCredential } from '@inventory/contracts/http/credentials';
import type { errorBody, errorMeta } from '@inventory/contracts/http/error-body';
import type { exportEnd } from '@inventory/contracts/http/export';
import type { asset, description } from '@inventory/contracts/http/inventory-rows';
import type { priceView } from '@inventory/contracts/http/prices';
import type { projectEvent } from '@inventory/contracts/http/project-event';
import type { refreshStatus } from '@inventory/contracts/http/refresh';
import type { serviceStatus } from '@inventory/contracts/http/status';
import type { inventorySummary } from '@inventory/contracts/http/summary';
import type { watchRunList, watchView } from '@inventory/contracts/http/watches';
import type {
  webhookDeliveryList,
  webhookEndpointList,
  webhookEndpointWithSecret,
} from '@inventory/contracts/http/webhooks';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { GrantedPermission } from '@inventory/contracts/vocabulary';
import type { z } from 'zod';

export type Scope = InventoryKey;
export type Permission = GrantedPermission;
export type Meta = z.input<typeof errorMeta>;
export type ErrorBody = z.input<typeof errorBody>;
export type Account = z.input<typeof accountView>;
export type Project = z.input<typeof projectView>;
export type Prices = z.input<typeof priceView>;
export type Status = z.input<typeof serviceStatus>;
export type Summary = z.input<typeof inventorySummary>;
export type Refresh = z.input<typeof refreshStatus>;
export type Outcome = NonNullable<Refresh['outcome']>;
export type Asset = z.input<typeof asset>;
export type Description = z.input<typeof description>;
export type ExportEnd = z.input<typeof exportEnd>;
export type Changes = z.input<typeof changesPage>;
export type ProjectEvent = z.input<typeof projectEvent>;
export interface PlacedEvent {
  readonly cursor: string;
  readonly event: ProjectEvent;
}
export type Watch = z.input<typeof watchView>;
export type WatchRun = z.input<typeof watchRunList>['items'][number];
export type Usage = z.input<typeof accountUsage>;
export type Statement = z.input<typeof accountStatement>;
export type CredentialRecord = z.input<typeof credentialList>['items'][number];
export type IssuedCredential = z.input<typeof issuedCredential>;
export type Endpoint = z.input<typeof webhookEndpointList>['items'][number];
export type EndpointWithSecret = z.input<typeof webhookEndpointWithSecret>;
export type Delivery = z.input<typeof webhookDeliveryList>['items'][number];

/** A list, or one page of it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly pagination: { readonly has_more: boolean; readonly next_cursor: string | null };
}
