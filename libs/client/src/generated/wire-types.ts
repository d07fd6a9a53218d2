/**
 * Generated from docs/generated/openapi.json by scripts/generate.js: the schemas that the client
 * exposes, as they are on the wire.
 */
export type Open<Known extends string> = Known | (string & Record<never, never>);
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Account: {
            readonly account_id: string;
            readonly balance: components["schemas"]["Amounts"];
            /** @description How the account pays. */
            readonly funding: components["schemas"]["CreditFunding"] | components["schemas"]["SubscriptionFunding"];
            /** @description The limit of the Service account. */
            readonly rate_limit: {
                /** Format: int64 */
                readonly limit_per_minute: number;
            };
            /** @description Its active Credentials share the limit. */
            readonly service_account: {
                readonly id: string;
                readonly rate_limit: {
                    /** Format: int64 */
                    readonly limit_per_minute: number;
                };
            };
            /** @description The limit of all Service accounts together. */
            readonly traffic_limit: {
                /** Format: int64 */
                readonly limit_per_minute: number;
            };
            readonly events_enabled: boolean;
            readonly credential: {
                readonly credential_id: string;
                readonly project_id: string;
                readonly scopes: readonly Open<"platform.inventory.refresh.v1" | "platform.inventory.current.page.v1" | "platform.inventory.page.v1" | "customer.events.read.v1" | "customer.webhooks.manage.v1" | "customer.account.read.v1" | "customer.account.manage.v1" | "customer.credentials.manage.v1" | "*">[];
                readonly expires_at: string | null;
            };
            /** @description Present for Credentials with `customer.account.read.v1` only. */
            readonly spend_caps?: readonly {
                readonly project_id: string;
                /** Format: int64 */
                readonly cap: number;
                /** Format: int64 */
                readonly spent: number;
                /** Format: date-time */
                readonly resets_at: string;
            }[];
            /** @description Of all Credentials of the account; present as `spend_caps` is. */
            readonly credential_spend_caps?: readonly {
                readonly credential_id: string;
                /** Format: int64 */
                readonly cap: number;
                /** Format: int64 */
                readonly spent: number;
                /** Format: date-time */
                readonly resets_at: string;
            }[];
            /** @description Present for Credentials with `customer.account.read.v1` only. */
            readonly balance_alert?: {
                /** Format: int64 */
                readonly threshold: number;
            } | null;
        };
        readonly Amounts: {
            /** Format: int64 */
            readonly total: number;
            /** Format: int64 */
            readonly held: number;
            /** Format: int64 */
            readonly available: number;
        };
        /** @description One item instance. */
        readonly Asset: {
            /** Format: int64 */
            readonly appid: number;
            readonly contextid: string;
            /** @description May exceed 2^53. */
            readonly assetid: string;
            readonly classid: string;
            readonly instanceid: string;
            /** @description Size of the stack, as decimal digits. */
            readonly amount: string;
            /** @description Of a currency row: the same as `assetid`. */
            readonly currencyid?: string;
            /** @description As wear and pattern; with the fields that the platform gives. V2 only. */
            readonly asset_properties?: readonly {
                readonly [key: string]: unknown;
            }[];
        } & {
            readonly [key: string]: unknown;
        };
        /** @description Texts and properties shared by all assets of one `classid` + `instanceid`. */
        readonly Description: {
            /** Format: int64 */
            readonly appid: number;
            readonly classid: string;
            readonly instanceid: string;
            readonly market_hash_name?: string;
            /**
             * Format: int64
             * @description 1 where the item is tradable.
             */
            readonly tradable?: number;
        } & {
            readonly [key: string]: unknown;
        };
        /** @description Less is available than the threshold of the account's balance alert. */
        readonly BalanceLowEvent: {
            /** @description The same on every delivery of the event. */
            readonly id: string;
            /**
             * Format: int32
             * @description Version of the shape of this type.
             * @constant
             */
            readonly version: number;
            /** Format: date-time */
            readonly occurred_at: string;
            readonly project_id: string;
            /**
             * @description `sandbox` for Credentials of a sandbox account, whose inventories are simulated.
             * @enum {string}
             */
            readonly environment?: Open<"live" | "sandbox">;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "account.balance.low";
            readonly data: {
                /** Format: int64 */
                readonly available: number;
                /** Format: int64 */
                readonly threshold: number;
            };
            /** @description Relative to the base address. */
            readonly links: {
                readonly account: string;
            };
        };
        readonly CurrentPage: {
            readonly scope: components["schemas"]["Scope"];
            readonly revision_id: string;
            readonly observation_id: string;
            /** Format: date-time */
            readonly verified_at: string;
            /** Format: int64 */
            readonly age_seconds: number;
            readonly scan_window: {
                /** Format: date-time */
                readonly started_at: string;
                /** Format: date-time */
                readonly completed_at: string;
            };
            readonly assets: readonly components["schemas"]["Asset"][];
            readonly descriptions: readonly components["schemas"]["Description"][];
            /**
             * Format: int64
             * @description Item instances of the whole inventory.
             */
            readonly total_count: number;
            /**
             * Format: int64
             * @description Stacked amounts of the whole inventory: an exact integer that may exceed 2^53.
             */
            readonly total_amount: number;
            /** Format: int64 */
            readonly reported_total_count: number;
            /** @description Of a lookup: those of the given ids that no asset of the revision has. */
            readonly not_in_revision?: readonly string[];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly ChangesPage: {
            readonly scope: components["schemas"]["Scope"];
            readonly from_revision_id: string;
            readonly to_revision_id: string;
            readonly observation_id: string;
            /** Format: date-time */
            readonly verified_at: string;
            /** Format: int64 */
            readonly age_seconds: number;
            readonly scan_window: {
                /** Format: date-time */
                readonly started_at: string;
                /** Format: date-time */
                readonly completed_at: string;
            };
            /** @description Of the later revision alone. */
            readonly added: readonly components["schemas"]["Asset"][];
            /** @description Of the earlier revision alone. */
            readonly removed: readonly components["schemas"]["Asset"][];
            readonly changed: readonly {
                /** @description As it is in the later revision. */
                readonly asset: components["schemas"]["Asset"];
                readonly amount_before: string;
                /** @description With `instanceid_before`: where one of the two is another now. */
                readonly classid_before?: string;
                readonly instanceid_before?: string;
            }[];
            /** @description Of the added and the changed assets. */
            readonly descriptions: readonly components["schemas"]["Description"][];
            /** @description Of the whole difference, not of the page. */
            readonly counts: {
                /** Format: int64 */
                readonly added: number;
                /** Format: int64 */
                readonly removed: number;
                /** Format: int64 */
                readonly changed: number;
            };
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly EventPage: {
            /** @description Oldest first. */
            readonly items: readonly {
                /** @description Continues after the event, here and on the stream. */
                readonly cursor: string;
                readonly event: components["schemas"]["ProjectEvent"];
            }[];
            readonly pagination: components["schemas"]["Pagination"];
        };
        /** @enum {string} */
        readonly Language: Open<"arabic" | "brazilian" | "bulgarian" | "czech" | "danish" | "dutch" | "english" | "finnish" | "french" | "german" | "greek" | "hungarian" | "indonesian" | "italian" | "japanese" | "koreana" | "latam" | "norwegian" | "polish" | "portuguese" | "romanian" | "russian" | "schinese" | "spanish" | "swedish" | "tchinese" | "thai" | "turkish" | "ukrainian" | "vietnamese">;
        readonly LivePage: {
            readonly assets: readonly components["schemas"]["Asset"][];
            readonly descriptions: readonly components["schemas"]["Description"][];
            /**
             * Format: int64
             * @description The platform's count of the complete inventory.
             */
            readonly total_count: number;
            readonly pagination: {
                readonly has_more: boolean;
                /** @description Opaque. Absent on the last page. */
                readonly next_cursor?: string;
            };
        };
        readonly PageReadMeta: {
            readonly request_id: string;
            /**
             * @description `sandbox` for Credentials of a sandbox account, whose inventories are simulated.
             * @enum {string}
             */
            readonly environment?: Open<"live" | "sandbox">;
            /** @enum {string} */
            readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
            /** Format: int64 */
            readonly price_version: number;
            /** Format: int64 */
            readonly credits_charged: number;
            /** Format: int64 */
            readonly credits_remaining: number;
            /** @enum {string} */
            readonly billing_disposition: Open<"reserved" | "charged" | "not_charged" | "allowance_used">;
            readonly billing_reason: Open<"no_revision" | "no_changes" | "private_confirmed" | "not_found_confirmed" | "subscription_allowance" | "idempotent_replay"> | null;
            /** @constant */
            readonly funding?: "subscription";
            /** Format: int64 */
            readonly units_charged?: number;
            /** Format: int64 */
            readonly units_remaining?: number;
            readonly rate_limit: components["schemas"]["RateLimit"];
        };
        readonly Pagination: {
            readonly has_more: boolean;
            /** @description Opaque. Null on the last page. */
            readonly next_cursor: string | null;
        };
        readonly PlainMeta: {
            readonly request_id: string;
            /**
             * @description `sandbox` for Credentials of a sandbox account, whose inventories are simulated.
             * @enum {string}
             */
            readonly environment?: Open<"live" | "sandbox">;
        };
        readonly Prices: {
            /** Format: int64 */
            readonly price_version: number;
            /** Format: date-time */
            readonly effective_at: string;
            readonly refresh: {
                /** @enum {string} */
                readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
                /**
                 * Format: int64
                 * @description Held at acceptance and the least `max_credits`; the charge never exceeds it.
                 */
                readonly reservation: number;
                /**
                 * Format: int64
                 * @description For each started block of `block_assets` observed assets.
                 */
                readonly block: number;
                /** Format: int64 */
                readonly block_assets: number;
                /**
                 * Format: int64
                 * @description For a confirmed private or not found outcome.
                 */
                readonly diagnostic: number;
            };
            /** @description A run of a watch. */
            readonly watch: {
                /** @enum {string} */
                readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
                /**
                 * Format: int64
                 * @description As that of a refresh.
                 */
                readonly reservation: number;
                /**
                 * Format: int64
                 * @description For each started block of `changed_block_assets`, where the run found a change.
                 */
                readonly changed_block: number;
                /** Format: int64 */
                readonly changed_block_assets: number;
                /**
                 * Format: int64
                 * @description For each started block of `unchanged_block_assets`, where it found none.
                 */
                readonly unchanged_block: number;
                /** Format: int64 */
                readonly unchanged_block_assets: number;
                /**
                 * Format: int64
                 * @description As that of a refresh.
                 */
                readonly diagnostic: number;
            };
            readonly live_page: {
                /** @enum {string} */
                readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
                /**
                 * Format: int64
                 * @description For each page delivered; of a Live Page also where it is confirmed private or not found.
                 */
                readonly page: number;
            };
            readonly current_page: {
                /** @enum {string} */
                readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
                /**
                 * Format: int64
                 * @description For each page delivered; of a Live Page also where it is confirmed private or not found.
                 */
                readonly page: number;
            };
            /** @description The price of a page of Current; no difference is free. */
            readonly changes_page: {
                /** @enum {string} */
                readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
                /**
                 * Format: int64
                 * @description For each page delivered; of a Live Page also where it is confirmed private or not found.
                 */
                readonly page: number;
            };
            /** @description The announced list that takes effect next; null where none is. Until then it may be replaced by one of a higher version. */
            readonly next: {
                /** Format: int64 */
                readonly price_version: number;
                /** Format: date-time */
                readonly effective_at: string;
                readonly refresh: {
                    /** @enum {string} */
                    readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
                    /**
                     * Format: int64
                     * @description Held at acceptance and the least `max_credits`; the charge never exceeds it.
                     */
                    readonly reservation: number;
                    /**
                     * Format: int64
                     * @description For each started block of `block_assets` observed assets.
                     */
                    readonly block: number;
                    /** Format: int64 */
                    readonly block_assets: number;
                    /**
                     * Format: int64
                     * @description For a confirmed private or not found outcome.
                     */
                    readonly diagnostic: number;
                };
                /** @description A run of a watch. */
                readonly watch: {
                    /** @enum {string} */
                    readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
                    /**
                     * Format: int64
                     * @description As that of a refresh.
                     */
                    readonly reservation: number;
                    /**
                     * Format: int64
                     * @description For each started block of `changed_block_assets`, where the run found a change.
                     */
                    readonly changed_block: number;
                    /** Format: int64 */
                    readonly changed_block_assets: number;
                    /**
                     * Format: int64
                     * @description For each started block of `unchanged_block_assets`, where it found none.
                     */
                    readonly unchanged_block: number;
                    /** Format: int64 */
                    readonly unchanged_block_assets: number;
                    /**
                     * Format: int64
                     * @description As that of a refresh.
                     */
                    readonly diagnostic: number;
                };
                readonly live_page: {
                    /** @enum {string} */
                    readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
                    /**
                     * Format: int64
                     * @description For each page delivered; of a Live Page also where it is confirmed private or not found.
                     */
                    readonly page: number;
                };
                readonly current_page: {
                    /** @enum {string} */
                    readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
                    /**
                     * Format: int64
                     * @description For each page delivered; of a Live Page also where it is confirmed private or not found.
                     */
                    readonly page: number;
                };
                /** @description The price of a page of Current; no difference is free. */
                readonly changes_page: {
                    /** @enum {string} */
                    readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
                    /**
                     * Format: int64
                     * @description For each page delivered; of a Live Page also where it is confirmed private or not found.
                     */
                    readonly page: number;
                };
            } | null;
        };
        readonly ProjectEvent: components["schemas"]["RefreshCompletedEvent"] | components["schemas"]["WatchPausedEvent"] | components["schemas"]["BalanceLowEvent"];
        readonly Project: {
            readonly project_id: string;
            readonly account_id: string;
            readonly name: string | null;
            /**
             * @description `sandbox` for Credentials of a sandbox account, whose inventories are simulated.
             * @enum {string}
             */
            readonly environment: Open<"live" | "sandbox">;
            /** @description The limit of the Service account. */
            readonly rate_limit: {
                /** Format: int64 */
                readonly limit_per_minute: number;
            };
            /** @description Its active Credentials share the limit. */
            readonly service_account: {
                readonly id: string;
                readonly rate_limit: {
                    /** Format: int64 */
                    readonly limit_per_minute: number;
                };
            };
            /** @description The limit of all Service accounts together. */
            readonly traffic_limit: {
                /** Format: int64 */
                readonly limit_per_minute: number;
            };
            readonly events_enabled: boolean;
            readonly credential: {
                readonly credential_id: string;
                readonly project_id: string;
                readonly scopes: readonly Open<"platform.inventory.refresh.v1" | "platform.inventory.current.page.v1" | "platform.inventory.page.v1" | "customer.events.read.v1" | "customer.webhooks.manage.v1" | "customer.account.read.v1" | "customer.account.manage.v1" | "customer.credentials.manage.v1" | "*">[];
                readonly expires_at: string | null;
            };
            /** @description Of this Credential, for the UTC month; null without one. */
            readonly credential_spend_cap: {
                /** Format: int64 */
                readonly cap: number;
                /** Format: int64 */
                readonly spent: number;
                /** Format: date-time */
                readonly resets_at: string;
            } | null;
            /** @description Of the Project; present for Credentials with `customer.account.read.v1` only. */
            readonly spend_cap?: {
                /** Format: int64 */
                readonly cap: number;
                /** Format: int64 */
                readonly spent: number;
                /** Format: date-time */
                readonly resets_at: string;
            } | null;
        };
        readonly InventorySummary: {
            readonly scope: components["schemas"]["Scope"];
            readonly revision_id: string;
            readonly observation_id: string;
            /** Format: date-time */
            readonly verified_at: string;
            readonly scan_window: {
                /** Format: date-time */
                readonly started_at: string;
                /** Format: date-time */
                readonly completed_at: string;
            };
            /**
             * @description `refresh`, or `capture` where it was read page by page as Live Pages.
             * @enum {string}
             */
            readonly observed_by: Open<"refresh" | "capture">;
            /**
             * @description Of the scan; descriptions in another one may be older, or absent.
             * @enum {string}
             */
            readonly language: components["schemas"]["Language"];
            /**
             * Format: int64
             * @description Item instances of the whole inventory.
             */
            readonly total_count: number;
            /**
             * Format: int64
             * @description How many more the platform reported than it showed: hidden items.
             */
            readonly hidden_count: number;
            /** @description Different pairs of `classid` and `instanceid`; null of a revision that was saved before they were counted. */
            readonly description_count: number | null;
            /** Format: int64 */
            readonly age_seconds: number;
            /** @description The newest refresh of this inventory by this Project that is under way; null without one. */
            readonly pending_refresh: {
                readonly refresh_id: string;
                /** @enum {string} */
                readonly state: Open<"accepted" | "queued" | "collecting" | "settling" | "completed">;
                /** Format: date-time */
                readonly requested_at: string;
            } | null;
        };
        readonly RateLimit: {
            /** Format: int64 */
            readonly limit_per_minute: number;
            /** Format: int64 */
            readonly remaining: number;
            /** Format: int32 */
            readonly reset_seconds: number;
        };
        readonly Watch: {
            /** @description Null in a dry run of an inventory that is not watched. */
            readonly watch_id: string | null;
            readonly scope: components["schemas"]["Scope"];
            /** Format: int64 */
            readonly every_seconds: number;
            readonly language: components["schemas"]["Language"];
            readonly max_credits_per_day: number | null;
            /** @enum {string} */
            readonly state: Open<"active" | "paused">;
            readonly paused_reason: Open<"insufficient_funds" | "spend_cap_reached" | "daily_limit_reached" | "permission_removed" | "owner_suspended" | "operator_paused"> | null;
            /** @description When the next run is due; of a paused watch, when its reason is checked again. */
            readonly next_refresh_at: string | null;
            readonly last_refresh_id: string | null;
            /** @description Null while the last run is open. */
            readonly last_outcome: Open<"complete_changed" | "complete_unchanged" | "private" | "not_found" | "upstream_unavailable" | "incomplete" | "cancelled" | "internal_failure"> | null;
            /**
             * Format: int64
             * @description In 30 days at what its last runs cost; before the first one an estimate.
             */
            readonly expected_credits_per_month: number;
            /**
             * Format: int64
             * @description It cannot cost more in a month of 31 days.
             */
            readonly maximum_credits_per_month: number;
        };
        readonly WatchRun: {
            readonly refresh_id: string;
            /** Format: date-time */
            readonly at: string;
            /** @description Null while it is open. */
            readonly outcome: Open<"complete_changed" | "complete_unchanged" | "private" | "not_found" | "upstream_unavailable" | "incomplete" | "cancelled" | "internal_failure"> | null;
            /** @description Null while it is open; 0 where units pay. */
            readonly credits_charged: number | null;
            /** @description Null while it is open; 0 where credits pay. */
            readonly units_charged: number | null;
            readonly event_id: string;
            /** @description Of its event, to the webhook endpoints of the Project. */
            readonly deliveries: readonly {
                readonly endpoint_id: string;
                /** @enum {string} */
                readonly state: Open<"pending" | "delivered" | "failed">;
            }[];
        };
        readonly WatchTest: {
            readonly event_id: string;
            /** @description To which the sample is sent. */
            readonly endpoints: readonly string[];
        };
        readonly CreditFunding: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly mode: "credits";
        };
        readonly SubscriptionFunding: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly mode: "subscription";
            /** Format: int64 */
            readonly units_per_month: number;
            /** @description The UTC month of the available units, which expire at its end. */
            readonly period: {
                /** Format: date-time */
                readonly starts_at: string;
                /** Format: date-time */
                readonly ends_at: string;
            };
            readonly units: {
                /** Format: int64 */
                readonly total: number;
                /** Format: int64 */
                readonly held: number;
                /** Format: int64 */
                readonly available: number;
            };
        };
        /** @description A watch has no runs until the reason ends; it resumes by itself, or by PUT. */
        readonly WatchPausedEvent: {
            /** @description The same on every delivery of the event. */
            readonly id: string;
            /**
             * Format: int32
             * @description Version of the shape of this type.
             * @constant
             */
            readonly version: number;
            /** Format: date-time */
            readonly occurred_at: string;
            readonly project_id: string;
            /**
             * @description `sandbox` for Credentials of a sandbox account, whose inventories are simulated.
             * @enum {string}
             */
            readonly environment?: Open<"live" | "sandbox">;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "inventory.watch.paused";
            readonly data: {
                readonly watch_id: string;
                /** @description The watched inventory. */
                readonly scope: components["schemas"]["Scope"];
                /** @enum {string} */
                readonly reason: Open<"insufficient_funds" | "spend_cap_reached" | "daily_limit_reached" | "permission_removed" | "owner_suspended" | "operator_paused">;
            };
            /** @description Relative to the base address. */
            readonly links: {
                readonly watch: string;
            };
        };
        readonly RefreshAcceptanceMeta: {
            readonly request_id: string;
            /**
             * @description `sandbox` for Credentials of a sandbox account, whose inventories are simulated.
             * @enum {string}
             */
            readonly environment?: Open<"live" | "sandbox">;
            /** @enum {string} */
            readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
            /** Format: int64 */
            readonly price_version: number;
            /** Format: int64 */
            readonly credits_reserved: number;
            /** @enum {string} */
            readonly billing_disposition: Open<"reserved" | "charged" | "not_charged" | "allowance_used">;
            /** @constant */
            readonly billing_reason?: "subscription_allowance";
            /** @constant */
            readonly funding?: "subscription";
            /** Format: int64 */
            readonly units_charged?: number;
            /** Format: int64 */
            readonly units_remaining?: number;
            /** Format: int64 */
            readonly units_reserved?: number;
            readonly rate_limit: components["schemas"]["RateLimit"];
        };
        readonly RefreshBilling: {
            /** @enum {string} */
            readonly state: Open<"reserved" | "pending" | "finalized">;
            readonly disposition: Open<"finalize_complete" | "finalize_diagnostic" | "finalize_saved" | "release"> | null;
            /** Format: int64 */
            readonly credits_reserved: number;
            readonly credits_charged: number | null;
            readonly credits_released: number | null;
            /**
             * @description Present where subscription units pay, as are the amounts in units.
             * @constant
             */
            readonly funding?: "subscription";
            /** Format: int64 */
            readonly units_reserved?: number;
            readonly units_charged?: number | null;
            readonly units_released?: number | null;
        };
        /** @description A refresh is terminal: read its outcome, then Current. */
        readonly RefreshCompletedEvent: {
            /** @description The same on every delivery of the event. */
            readonly id: string;
            /**
             * Format: int32
             * @description Version of the shape of this type.
             * @constant
             */
            readonly version: number;
            /** Format: date-time */
            readonly occurred_at: string;
            readonly project_id: string;
            /**
             * @description `sandbox` for Credentials of a sandbox account, whose inventories are simulated.
             * @enum {string}
             */
            readonly environment?: Open<"live" | "sandbox">;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly type: "inventory.refresh.completed";
            readonly data: {
                readonly refresh_id: string;
                /** @constant */
                readonly state: "completed";
                /** @enum {string} */
                readonly outcome: Open<"complete_changed" | "complete_unchanged" | "private" | "not_found" | "upstream_unavailable" | "incomplete" | "cancelled" | "internal_failure">;
                /** @description The inventory that was refreshed. */
                readonly scope: components["schemas"]["Scope"];
                /** @description The saved revision; null where none was saved. */
                readonly revision_id: string | null;
                /** @description The watch whose run it is; null where there is none. */
                readonly watch_id: string | null;
                /**
                 * @description Present in a sample: nothing was refreshed.
                 * @constant
                 */
                readonly test?: true;
            };
            /** @description Relative to the base address. */
            readonly links: {
                readonly refresh: string;
                /** @description Present where a revision was saved. */
                readonly current?: string;
                /** @description Since the revision that this one replaced; present where it replaced one. */
                readonly changes?: string;
            };
        };
        readonly RefreshPage: {
            /** @description Newest first. */
            readonly items: readonly components["schemas"]["RefreshRecord"][];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly RefreshRecord: {
            readonly refresh_id: string;
            readonly scope: components["schemas"]["Scope"];
            /** @enum {string} */
            readonly state: Open<"accepted" | "queued" | "collecting" | "settling" | "completed">;
            /** Format: date-time */
            readonly requested_at: string;
            readonly completed_at: string | null;
            readonly deadline_at: string | null;
            readonly outcome: Open<"complete_changed" | "complete_unchanged" | "private" | "not_found" | "upstream_unavailable" | "incomplete" | "cancelled" | "internal_failure"> | null;
            readonly revision_id: string | null;
            /** @description Present where a revision was saved. Relative to the base address. */
            readonly links?: {
                readonly current: string;
                /** @description Since the revision that this one replaced; present where it replaced one. */
                readonly changes?: string;
            };
            /**
             * @description `saved` where it was completed by an observation that is no older than `max_age_seconds`.
             * @enum {string}
             */
            readonly served_from: Open<"scan" | "saved">;
            /** @description The end of the scan that saw this revision; null while there is none. */
            readonly verified_at: string | null;
            /** @description The watch whose run it is; null where there is none. */
            readonly watch_id: string | null;
            /**
             * @description What it is charged under; a run of a watch has its own.
             * @enum {string}
             */
            readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1">;
            /** @enum {string} */
            readonly billing_state: Open<"reserved" | "pending" | "finalized">;
            readonly billing_disposition: Open<"finalize_complete" | "finalize_diagnostic" | "finalize_saved" | "release"> | null;
            readonly billing: components["schemas"]["RefreshBilling"];
        };
        readonly RefreshStatus: {
            readonly refresh_id: string;
            readonly scope: components["schemas"]["Scope"];
            /** @enum {string} */
            readonly state: Open<"accepted" | "queued" | "collecting" | "settling" | "completed">;
            /** Format: date-time */
            readonly requested_at: string;
            readonly completed_at: string | null;
            readonly deadline_at: string | null;
            readonly outcome: Open<"complete_changed" | "complete_unchanged" | "private" | "not_found" | "upstream_unavailable" | "incomplete" | "cancelled" | "internal_failure"> | null;
            readonly revision_id: string | null;
            /** @description Present where a revision was saved. Relative to the base address. */
            readonly links?: {
                readonly current: string;
                /** @description Since the revision that this one replaced; present where it replaced one. */
                readonly changes?: string;
            };
            /**
             * @description `saved` where it was completed by an observation that is no older than `max_age_seconds`.
             * @enum {string}
             */
            readonly served_from: Open<"scan" | "saved">;
            /** @description The end of the scan that saw this revision; null while there is none. */
            readonly verified_at: string | null;
            /** @description The watch whose run it is; null where there is none. */
            readonly watch_id: string | null;
            /**
             * @description What it is charged under; a run of a watch has its own.
             * @enum {string}
             */
            readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1">;
            /** @enum {string} */
            readonly billing_state: Open<"reserved" | "pending" | "finalized">;
            readonly billing_disposition: Open<"finalize_complete" | "finalize_diagnostic" | "finalize_saved" | "release"> | null;
            readonly billing: components["schemas"]["RefreshBilling"];
            /** @description An estimate; present while the refresh is pending, null when unknown. */
            readonly expected_completed_at?: string | null;
        };
        readonly Scope: {
            readonly platform_id: string;
            /** Format: int64 */
            readonly app_id: number;
            /** Format: int32 */
            readonly context_id: number;
        };
        readonly Statement: {
            /** @description Oldest first. */
            readonly items: readonly {
                readonly entry_id: string;
                /** Format: date-time */
                readonly at: string;
                readonly kind: string;
                /** @enum {string} */
                readonly asset: Open<"credits" | "units">;
                /** Format: int64 */
                readonly change_available: number;
                /** Format: int64 */
                readonly change_held: number;
                /** Format: int64 */
                readonly available_after: number;
                /** Format: int64 */
                readonly held_after: number;
                readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1"> | null;
                readonly price_version: number | null;
                readonly project_id: string | null;
                readonly refresh_id: string | null;
                readonly request_id: string | null;
                readonly reason: string | null;
            }[];
            readonly pagination: components["schemas"]["Pagination"];
        };
        readonly Usage: {
            /** Format: date */
            readonly from: string;
            /** Format: date */
            readonly to: string;
            readonly items: readonly {
                /** Format: date */
                readonly day: string;
                readonly project_id: string;
                /** @enum {string} */
                readonly product_code: Open<"platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1">;
                /** @enum {string} */
                readonly asset: Open<"credits" | "units">;
                /**
                 * Format: int64
                 * @description Pages charged and refreshes settled; releases do not count.
                 */
                readonly count: number;
                /** Format: int64 */
                readonly charged: number;
                /**
                 * Format: int64
                 * @description Refunded for pages that were not delivered, on the day of the refund.
                 */
                readonly reversed: number;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
