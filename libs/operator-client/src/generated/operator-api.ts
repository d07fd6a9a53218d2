/** Generated from docs/generated/operator-openapi.json by `npm run generate`. */

export interface paths {
    readonly "/operator/v1/accounts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Accounts, oldest first
         * @description Needs the role `read`.
         */
        readonly get: operations["listAccounts"];
        readonly put?: never;
        /**
         * Create a customer account
         * @description Needs the role `support`.
         *
         *     Audited as `account.create`.
         */
        readonly post: operations["createAccount"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One account
         * @description Needs the role `read`.
         */
        readonly get: operations["readAccount"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the given fields of an account
         * @description A suspension stops every Credential of the account, at once.
         *
         *     Needs the role `support`.
         *
         *     Audited as `account.change`.
         */
        readonly patch: operations["changeAccount"];
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}/sandbox": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Create the sandbox of an account
         * @description An account with Projects, Credentials and limits of its own, whose inventories are simulated and whose credits fill up by themselves, once a day. An account has one: it is created by the first request, with a first Project, and returned by all. It is suspended and reactivated with its account.
         *
         *     Needs the role `support`.
         *
         *     Audited as `account.sandbox`.
         */
        readonly put: operations["createSandbox"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}/projects": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Projects of an account, oldest first
         * @description Needs the role `read`.
         */
        readonly get: operations["listProjects"];
        readonly put?: never;
        /**
         * Create a Project of an account
         * @description Needs the role `support`.
         *
         *     Audited as `project.create`.
         */
        readonly post: operations["createProject"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One Project
         * @description Needs the role `read`.
         */
        readonly get: operations["readProject"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the given fields of a Project
         * @description A suspension stops every Credential of the Project, at once.
         *
         *     Needs the role `support`.
         *
         *     Audited as `project.change`.
         */
        readonly patch: operations["changeProject"];
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}/service-accounts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Service accounts of an account, the default one first, then oldest first
         * @description Needs the role `read`.
         */
        readonly get: operations["listServiceAccounts"];
        readonly put?: never;
        /**
         * Create a Service account of an account
         * @description It has the standard rate limit and no network policy.
         *
         *     Needs the role `support`.
         *
         *     Audited as `service-account.create`.
         */
        readonly post: operations["createServiceAccount"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/service-accounts/{service_account_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One Service account
         * @description Needs the role `read`.
         */
        readonly get: operations["readServiceAccount"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the given fields of a Service account
         * @description Needs the role `support`.
         *
         *     Audited as `service-account.change`.
         */
        readonly patch: operations["changeServiceAccount"];
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/credentials": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Credentials of a Project, oldest first
         * @description Needs the role `read`.
         */
        readonly get: operations["listCredentials"];
        readonly put?: never;
        /**
         * Issue a Credential of a Project
         * @description The secret is shown in this response only; the same `idempotency-key` again returns it for a day.
         *
         *     Needs the role `support`.
         *
         *     Audited as `credential.issue`.
         */
        readonly post: operations["issueCredential"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/credentials/find": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Find the Credential of a secret that has leaked
         * @description A secret is `inv_<public id>_<entropy>_<checksum>`: send its public id and its SHA-256, never the secret itself.
         *
         *     Needs the role `support`.
         *
         *     Audited as `credential.find`.
         */
        readonly post: operations["findCredential"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/credentials/{credential_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One Credential, without its secret
         * @description Needs the role `read`.
         */
        readonly get: operations["readCredential"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the given fields of a Credential
         * @description Needs the role `support`.
         *
         *     Audited as `credential.change`.
         */
        readonly patch: operations["changeCredential"];
        readonly trace?: never;
    };
    readonly "/operator/v1/credentials/{credential_id}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replace the secret of a Credential
         * @description The replaced secret stays valid for `overlap_seconds`. The secret is shown in this response only; the same `idempotency-key` again returns it for a day.
         *
         *     Needs the role `support`.
         *
         *     Audited as `credential.rotate`.
         */
        readonly post: operations["rotateCredential"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/credentials/{credential_id}/revoke": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * End a Credential, at once and for good
         * @description Needs the role `support`.
         *
         *     Audited as `credential.revoke`.
         */
        readonly post: operations["revokeCredential"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}/top-ups": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Add credits to an account
         * @description The same `idempotency-key` again books nothing more and has the same response, byte for byte.
         *
         *     Needs the role `billing`.
         *
         *     Audited as `account.top-up`.
         */
        readonly post: operations["topUp"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}/unit-grants": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Add subscription units to an account
         * @description They expire at the end of the UTC month. The same `idempotency-key` again books nothing more and has the same response, byte for byte.
         *
         *     Needs the role `billing`.
         *
         *     Audited as `account.grant-units`.
         */
        readonly post: operations["grantUnits"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}/adjustments": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Correct the available credits or units of an account, up or down
         * @description The same `idempotency-key` again books nothing more and has the same response, byte for byte.
         *
         *     Needs the role `billing`.
         *
         *     Audited as `account.adjust`.
         */
        readonly post: operations["adjust"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}/balance": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What an account has: total, held, available
         * @description Needs the role `read`.
         */
        readonly get: operations["readBalance"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}/holds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Open reservations of an account, oldest first
         * @description Needs the role `read`.
         */
        readonly get: operations["listHolds"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}/statement": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Every movement of an account, or those of a time, oldest first
         * @description As CSV with `format=csv`, or with `Accept: text/csv` where `format` is absent.
         *
         *     Needs the role `read`.
         */
        readonly get: operations["readStatement"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}/terms": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How an account pays: funding, spend caps, balance alert
         * @description Needs the role `read`.
         */
        readonly get: operations["readTerms"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/accounts/{account_id}/funding": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Let an account pay with prepaid credits or with monthly subscription units
         * @description The same `idempotency-key` again changes nothing.
         *
         *     Needs the role `billing`.
         *
         *     Audited as `account.funding`.
         */
        readonly put: operations["setFunding"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/spend-cap": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Limit what a Project may spend in a UTC month, open reservations included
         * @description `cap: null` removes the limit. The same `idempotency-key` again changes nothing.
         *
         *     Needs the role `billing`.
         *
         *     Audited as `project.spend-cap`.
         */
        readonly put: operations["setSpendCap"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/credentials/{credential_id}/spend-cap": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Limit what is bought with a Credential in a UTC month, open reservations included
         * @description `cap: null` removes the limit. The same `idempotency-key` again changes nothing.
         *
         *     Needs the role `billing`.
         *
         *     Audited as `credential.spend-cap`.
         */
        readonly put: operations["setCredentialSpendCap"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/price-lists": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Every published price list, by version
         * @description Needs the role `read`.
         */
        readonly get: operations["listPriceLists"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/price-lists/{version}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Publish the next version of the price list
         * @description Takes effect at `effective_at`, at least 120 s ahead, or so soon where it is absent. A published list never changes: the same version with the same prices again changes nothing. The highest version in effect is in force, so a higher version with an earlier or the same date replaces an announced one.
         *
         *     Needs the role `billing`.
         *
         *     Audited as `prices.publish`.
         */
        readonly put: operations["publishPriceList"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/webhook-endpoints": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Webhook endpoints of a Project
         * @description Needs the role `support`.
         */
        readonly get: operations["listWebhookEndpoints"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One webhook endpoint, without its secrets
         * @description Needs the role `support`.
         */
        readonly get: operations["readWebhookEndpoint"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a webhook endpoint with its deliveries
         * @description Needs the role `support`.
         *
         *     Audited as `webhook-endpoint.delete`.
         */
        readonly delete: operations["deleteWebhookEndpoint"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Send nothing more to a webhook endpoint, or again from the next event on
         * @description Needs the role `support`.
         *
         *     Audited as `webhook-endpoint.change`.
         */
        readonly patch: operations["changeWebhookEndpoint"];
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What was sent to a webhook endpoint, newest first
         * @description Each attempt has the status of the response and the first KiB of its body, without the secrets of the endpoint.
         *
         *     Needs the role `support`.
         */
        readonly get: operations["listWebhookDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}/rotate-secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create a new signing secret; both sign until the overlap is over
         * @description While two secrets sign, a further rotation is refused unless `force` is set. The same `idempotency-key` again returns the same secret for a day; no other response has it.
         *
         *     Needs the role `support`.
         *
         *     Audited as `webhook-endpoint.rotate-secret`.
         */
        readonly post: operations["rotateWebhookSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a `webhook.ping` to a webhook endpoint
         * @description Needs the role `support`.
         *
         *     Audited as `webhook-endpoint.test`.
         */
        readonly post: operations["testWebhookEndpoint"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}/redeliver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send one event again, or all of a time range
         * @description Needs the role `support`.
         *
         *     Audited as `webhook-endpoint.redeliver`.
         */
        readonly post: operations["redeliverWebhookEvents"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/watches": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Watches of a Project, by inventory
         * @description Needs the role `read`.
         */
        readonly get: operations["listWatches"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/watches/{platform_id}/{app_id}/{context_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One watch
         * @description Needs the role `read`.
         */
        readonly get: operations["readWatch"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/watches/{platform_id}/{app_id}/{context_id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Make no further runs of a watch until it is resumed
         * @description Whatever its customer puts. A run that is open ends as any refresh. The customer has the event `inventory.watch.paused` with the reason `operator_paused`.
         *
         *     Needs the role `support`.
         *
         *     Audited as `watch.pause`.
         */
        readonly post: operations["pauseWatch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/projects/{project_id}/watches/{platform_id}/{app_id}/{context_id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Let a watch run again that an operator paused
         * @description A pause for another reason lasts as long as its reason.
         *
         *     Needs the role `support`.
         *
         *     Audited as `watch.resume`.
         */
        readonly post: operations["resumeWatch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/admission": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whether new refreshes are admitted, and how many are outstanding
         * @description Needs the role `read`.
         */
        readonly get: operations["readAdmission"];
        /**
         * Close or open the admission of refreshes
         * @description Accepted refreshes continue. Opening leaves the limit of outstanding refreshes.
         *
         *     Needs the role `admin`.
         *
         *     Audited as `admission.change`.
         */
        readonly put: operations["switchAdmission"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/inventories/{platform_id}/{app_id}/{context_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Erase everything that is saved of one inventory
         * @description A scan of it that is under way ends as `incomplete`, free.
         *
         *     Needs the role `admin`.
         *
         *     Audited as `inventory.erase`.
         */
        readonly delete: operations["eraseInventory"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/ledger/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Recompute every account of the ledger from its journal
         * @description Needs the role `billing`.
         *
         *     Audited as `ledger.verify`.
         */
        readonly post: operations["verifyLedger"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/ledger/quarantine": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Accounts whose journal does not add up: their commands are not evaluated
         * @description Needs the role `read`.
         */
        readonly get: operations["listQuarantinedAccounts"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/ledger/quarantine/{account_id}/lift": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Evaluate the commands of an account again, after its journal was restored
         * @description Needs the role `admin`.
         *
         *     Audited as `ledger.quarantine.lift`.
         */
        readonly post: operations["liftQuarantine"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/operator/v1/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What operators did and attempted, oldest first
         * @description A change has two entries: `started` before its effect and `ended` with its outcome. One without an end has an unknown outcome. `refused` is a call without a token or a role for it.
         *
         *     Needs the role `admin`.
         */
        readonly get: operations["listAudit"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Account: {
            readonly account_id: string;
            /**
             * @description `sandbox` for Credentials of a sandbox account, whose inventories are simulated.
             * @enum {string}
             */
            readonly environment: "live" | "sandbox";
            /** @description The live account whose sandbox it is; null for a live account. */
            readonly parent_account_id: string | null;
            readonly name: string;
            /**
             * @description Suspended, none of its Credentials is valid.
             * @enum {string}
             */
            readonly state: "active" | "suspended";
            readonly network_policy: readonly string[] | null;
            /** Format: int64 */
            readonly rate_limit_per_minute: number;
            /** @description Of all Service accounts together; null for the configured limit. */
            readonly traffic_limit_per_minute: number | null;
            readonly default_service_account_id: string;
            readonly events_enabled: boolean;
            /** @description Whether its chains of Live Pages are saved as revisions. */
            readonly capture_enabled: boolean;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly changed_at: string;
        };
        readonly Project: {
            readonly project_id: string;
            readonly account_id: string;
            readonly name: string | null;
            /**
             * @description Suspended, none of its Credentials is valid.
             * @enum {string}
             */
            readonly state: "active" | "suspended";
            readonly network_policy: readonly string[] | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly changed_at: string;
        };
        readonly ServiceAccount: {
            readonly service_account_id: string;
            readonly account_id: string;
            readonly name: string;
            readonly is_default: boolean;
            readonly network_policy: readonly string[] | null;
            /** Format: int64 */
            readonly rate_limit_per_minute: number;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly changed_at: string;
        };
        readonly Credential: {
            readonly credential_id: string;
            readonly project_id: string;
            readonly account_id: string;
            readonly service_account_id: string;
            readonly name: string | null;
            /** @enum {string} */
            readonly state: "active" | "revoked";
            readonly public_id: string;
            readonly scopes: readonly ("platform.inventory.refresh.v1" | "platform.inventory.current.page.v1" | "platform.inventory.page.v1" | "customer.events.read.v1" | "customer.webhooks.manage.v1" | "customer.account.read.v1" | "customer.account.manage.v1" | "customer.credentials.manage.v1" | "*")[];
            readonly expires_at: string | null;
            readonly network_policy: readonly string[] | null;
            readonly replaced_secret_valid_until: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly changed_at: string;
            readonly revoked_at: string | null;
        };
        readonly FoundCredential: {
            readonly credential_id: string;
            readonly project_id: string;
            readonly account_id: string;
            readonly service_account_id: string;
            readonly name: string | null;
            /** @enum {string} */
            readonly state: "active" | "revoked";
            readonly public_id: string;
            readonly scopes: readonly ("platform.inventory.refresh.v1" | "platform.inventory.current.page.v1" | "platform.inventory.page.v1" | "customer.events.read.v1" | "customer.webhooks.manage.v1" | "customer.account.read.v1" | "customer.account.manage.v1" | "customer.credentials.manage.v1" | "*")[];
            readonly expires_at: string | null;
            readonly network_policy: readonly string[] | null;
            readonly replaced_secret_valid_until: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly changed_at: string;
            readonly revoked_at: string | null;
            /** @description Whether it is the secret of the Credential now, or one in its overlap. */
            readonly secret_valid: boolean;
        };
        readonly IssuedCredential: {
            readonly credential_id: string;
            readonly project_id: string;
            readonly account_id: string;
            readonly service_account_id: string;
            readonly name: string | null;
            /** @enum {string} */
            readonly state: "active" | "revoked";
            readonly public_id: string;
            readonly scopes: readonly ("platform.inventory.refresh.v1" | "platform.inventory.current.page.v1" | "platform.inventory.page.v1" | "customer.events.read.v1" | "customer.webhooks.manage.v1" | "customer.account.read.v1" | "customer.account.manage.v1" | "customer.credentials.manage.v1" | "*")[];
            readonly expires_at: string | null;
            readonly network_policy: readonly string[] | null;
            readonly replaced_secret_valid_until: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly changed_at: string;
            readonly revoked_at: string | null;
            readonly secret: string;
        };
        readonly Balance: {
            readonly account_id: string;
            /** Format: int64 */
            readonly as_of_seq: number;
            /** @enum {string} */
            readonly funding: "credits" | "subscription";
            readonly balances: readonly {
                /** @enum {string} */
                readonly asset: "credits" | "units";
                /** Format: int64 */
                readonly total: number;
                /** Format: int64 */
                readonly held: number;
                /** Format: int64 */
                readonly available: number;
            }[];
        };
        readonly Hold: {
            readonly account_id: string;
            readonly project_id: string;
            readonly refresh_id: string;
            /** @enum {string} */
            readonly asset: "credits" | "units";
            /** Format: int64 */
            readonly amount: number;
            /** Format: int64 */
            readonly price_version: number;
            /** Format: date-time */
            readonly reserved_at: string;
        };
        readonly StatementRow: {
            readonly entry_id: string;
            /** Format: date-time */
            readonly at: string;
            readonly kind: string;
            /** @enum {string} */
            readonly asset: "credits" | "units";
            /** Format: int64 */
            readonly change_available: number;
            /** Format: int64 */
            readonly change_held: number;
            /** Format: int64 */
            readonly available_after: number;
            /** Format: int64 */
            readonly held_after: number;
            readonly product_code: ("platform.inventory.refresh.v1" | "platform.inventory.watch.v1" | "platform.inventory.current.page.v1" | "platform.inventory.changes.page.v1" | "platform.inventory.page.v1") | null;
            readonly price_version: number | null;
            readonly project_id: string | null;
            readonly refresh_id: string | null;
            readonly request_id: string | null;
            readonly reason: string | null;
        };
        readonly Terms: {
            readonly account_id: string;
            /** Format: int64 */
            readonly as_of_seq: number;
            readonly funding: {
                /** @constant */
                readonly mode: "credits";
            } | {
                /** @constant */
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
            readonly spend_caps: readonly {
                readonly project_id: string;
                /** Format: int64 */
                readonly cap: number;
                /** Format: int64 */
                readonly spent: number;
                /** Format: date-time */
                readonly resets_at: string;
            }[];
            readonly credential_spend_caps: readonly {
                readonly credential_id: string;
                /** Format: int64 */
                readonly cap: number;
                /** Format: int64 */
                readonly spent: number;
                /** Format: date-time */
                readonly resets_at: string;
            }[];
            readonly balance_alert: {
                /** Format: int64 */
                readonly threshold: number;
            } | null;
        };
        readonly PriceList: {
            /** Format: int64 */
            readonly version: number;
            /** Format: date-time */
            readonly effective_at: string;
            /** Format: int64 */
            readonly refresh_reservation: number;
            /** Format: int64 */
            readonly refresh_block: number;
            /** Format: int64 */
            readonly refresh_block_assets: number;
            /** Format: int64 */
            readonly refresh_diagnostic: number;
            /**
             * Format: int64
             * @default 1
             */
            readonly watch_changed_block: number;
            /**
             * Format: int64
             * @default 1
             */
            readonly watch_unchanged_block: number;
            /** Format: int64 */
            readonly live_page: number;
            /** Format: int64 */
            readonly current_page: number;
        };
        readonly WebhookEndpoint: {
            readonly endpoint_id: string;
            readonly project_id: string;
            readonly url: string;
            readonly description: string | null;
            /** @description Later versions may add types. */
            readonly types: readonly string[];
            /** @enum {string} */
            readonly state: "enabled" | "disabled";
            readonly disabled_reason: ("requested" | "gone" | "failing") | null;
            readonly failing_since: string | null;
            readonly secrets: readonly {
                /** Format: date-time */
                readonly created_at: string;
                readonly ends_at: string | null;
            }[];
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly changed_at: string;
        };
        readonly WebhookEndpointWithSecret: {
            readonly endpoint_id: string;
            readonly project_id: string;
            readonly url: string;
            readonly description: string | null;
            /** @description Later versions may add types. */
            readonly types: readonly string[];
            /** @enum {string} */
            readonly state: "enabled" | "disabled";
            readonly disabled_reason: ("requested" | "gone" | "failing") | null;
            readonly failing_since: string | null;
            readonly secrets: readonly {
                /** Format: date-time */
                readonly created_at: string;
                readonly ends_at: string | null;
            }[];
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly changed_at: string;
            readonly secret: string;
        };
        readonly WebhookDelivery: {
            readonly event_id: string;
            /** @description One of the types that an endpoint subscribes to, or `webhook.ping`; later versions may add some. */
            readonly type: string;
            /** @enum {string} */
            readonly state: "pending" | "delivered" | "failed";
            readonly failure: ("attempts_exhausted" | "endpoint_disabled") | null;
            /** Format: date-time */
            readonly created_at: string;
            readonly next_attempt_at: string | null;
            /** Format: int64 */
            readonly attempts_total: number;
            readonly attempts: readonly {
                /** Format: date-time */
                readonly at: string;
                readonly status: number | null;
                /** Format: int64 */
                readonly duration_ms: number;
                readonly error: ("status" | "redirect" | "timeout" | "dns" | "address_refused" | "tls" | "connection") | null;
                /**
                 * @description First KiB of the response body, as text; null without a response.
                 * @default null
                 */
                readonly response_body: string | null;
            }[];
        };
        readonly Admission: {
            /** @enum {string} */
            readonly state: "open" | "closed";
            readonly reason: ("global_outstanding_closed" | "platform_unavailable" | "operator_closed") | null;
            readonly operator_closed: boolean;
            /** Format: int64 */
            readonly outstanding: number;
            /** Format: int64 */
            readonly outstanding_max: number;
        };
        readonly AuditEntry: {
            readonly audit_id: string;
            /** Format: date-time */
            readonly at: string;
            /** @enum {string} */
            readonly kind: "started" | "ended" | "refused";
            readonly request_id: string;
            /** @description Null where the token is not of an operator. */
            readonly operator: string | null;
            readonly peer: string;
            readonly method: string;
            readonly path: string;
            readonly action: string | null;
            readonly parameters: {
                readonly [key: string]: unknown;
            };
            /** @description `done`, or an error code; null of a start. */
            readonly outcome: string | null;
        };
        readonly RequestIssue: {
            /** @enum {string} */
            readonly in: "path" | "query" | "header" | "body";
            readonly field: string;
            readonly reason: string;
        };
        readonly Error: {
            readonly error: {
                /** @enum {string} */
                readonly code: "invalid_request" | "malformed_json" | "unsupported_media_type" | "payload_too_large" | "not_acceptable" | "invalid_cursor" | "route_not_found" | "method_not_allowed" | "project_not_found" | "webhook_endpoint_not_found" | "event_not_found" | "insufficient_credits" | "insufficient_units" | "idempotency_conflict" | "secret_rotation_in_progress" | "watch_not_found" | "billing_unavailable" | "service_unavailable" | "internal_error" | "operator_token_required" | "operator_role_required" | "operator_throttled" | "account_not_found" | "service_account_not_found" | "credential_not_found" | "credential_revoked" | "concurrent_change" | "balance_limit_exceeded" | "price_version_conflict" | "effective_date_too_early";
                readonly message: string;
                readonly detail?: {
                    readonly [key: string]: unknown;
                };
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Id of the request, also in the log. */
        readonly "X-Request-ID": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly listAccounts: {
        readonly parameters: {
            readonly query?: {
                /** @description Items of this page; 50 when absent. */
                readonly limit?: number;
                /** @description `next_cursor` of the page before. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Account"][];
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly createAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name: string;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly readAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly changeAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Suspended, none of its Credentials is valid.
                     * @enum {string}
                     */
                    readonly state?: "active" | "suspended";
                    /** @description Networks that clients must come from; null for any. */
                    readonly network_policy?: readonly string[] | null;
                    /**
                     * Format: int32
                     * @description Of its default Service account.
                     */
                    readonly rate_limit_per_minute?: number;
                    /** @description Of all Service accounts together; null for the configured limit. */
                    readonly traffic_limit_per_minute?: number | null;
                    /** @description Whether its event streams may be read; events are logged either way. */
                    readonly events_enabled?: boolean;
                    /** @description Whether complete chains of Live Pages are saved as revisions; false also ends the capture of chains that are being read. */
                    readonly capture_enabled?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly createSandbox: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly account: components["schemas"]["Account"];
                        readonly project: components["schemas"]["Project"];
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listProjects: {
        readonly parameters: {
            readonly query?: {
                /** @description Items of this page; 50 when absent. */
                readonly limit?: number;
                /** @description `next_cursor` of the page before. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Project"][];
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly createProject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /** @default null */
                    readonly name?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Project"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly readProject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Project"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly changeProject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Suspended, none of its Credentials is valid.
                     * @enum {string}
                     */
                    readonly state?: "active" | "suspended";
                    /** @description Networks that clients must come from; null for any. */
                    readonly network_policy?: readonly string[] | null;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Project"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listServiceAccounts: {
        readonly parameters: {
            readonly query?: {
                /** @description Items of this page; 50 when absent. */
                readonly limit?: number;
                /** @description `next_cursor` of the page before. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["ServiceAccount"][];
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly createServiceAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly name: string;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly readServiceAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly service_account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly changeServiceAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly service_account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * Format: int32
                     * @description Of all its Credentials together.
                     */
                    readonly rate_limit_per_minute?: number;
                    /** @description Networks that clients must come from; null for any. */
                    readonly network_policy?: readonly string[] | null;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listCredentials: {
        readonly parameters: {
            readonly query?: {
                /** @description Items of this page; 50 when absent. */
                readonly limit?: number;
                /** @description `next_cursor` of the page before. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Credential"][];
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly issueCredential: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same key again changes nothing more. */
                readonly "idempotency-key"?: string;
            };
            readonly path: {
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @default null */
                    readonly name?: string | null;
                    /** @description Of the same account; its default one when absent. */
                    readonly service_account_id?: string;
                    readonly scopes: readonly ("platform.inventory.refresh.v1" | "platform.inventory.current.page.v1" | "platform.inventory.page.v1" | "customer.events.read.v1" | "customer.webhooks.manage.v1" | "customer.account.read.v1" | "customer.account.manage.v1" | "customer.credentials.manage.v1" | "*")[];
                    /** @description In the future; null for never. */
                    readonly expires_at?: string | null;
                    /** @description Networks that clients must come from; null for any. */
                    readonly network_policy?: readonly string[] | null;
                };
            };
        };
        readonly responses: {
            /** @description Created. */
            readonly 201: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description `true` where the key had been used before. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IssuedCredential"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly findCredential: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly public_id: string;
                    readonly secret_sha256: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FoundCredential"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly readCredential: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly credential_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Credential"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly changeCredential: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly credential_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly scopes?: readonly ("platform.inventory.refresh.v1" | "platform.inventory.current.page.v1" | "platform.inventory.page.v1" | "customer.events.read.v1" | "customer.webhooks.manage.v1" | "customer.account.read.v1" | "customer.account.manage.v1" | "customer.credentials.manage.v1" | "*")[];
                    /** @description In the future; null for never. */
                    readonly expires_at?: string | null;
                    /** @description Networks that clients must come from; null for any. */
                    readonly network_policy?: readonly string[] | null;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Credential"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly rotateCredential: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same key again changes nothing more. */
                readonly "idempotency-key"?: string;
            };
            readonly path: {
                readonly credential_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * Format: int32
                     * @description How long the replaced secret stays valid.
                     * @default 0
                     */
                    readonly overlap_seconds?: number;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description `true` where the key had been used before. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IssuedCredential"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly revokeCredential: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly credential_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Credential"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly topUp: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The same key again changes nothing more. */
                readonly "idempotency-key": string;
            };
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** Format: int64 */
                    readonly amount: number;
                    /**
                     * @description Stands in the statement.
                     * @default top-up
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly account_id: string;
                        readonly kind: string;
                        /** Format: int64 */
                        readonly seq: number;
                        /** Format: date-time */
                        readonly at: string;
                        /** @enum {string} */
                        readonly asset: "credits" | "units";
                        /** Format: int64 */
                        readonly amount: number;
                        readonly reason: string;
                        readonly request_id: string | null;
                        readonly balance: {
                            /** Format: int64 */
                            readonly total: number;
                            /** Format: int64 */
                            readonly held: number;
                            /** Format: int64 */
                            readonly available: number;
                        };
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly grantUnits: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The same key again changes nothing more. */
                readonly "idempotency-key": string;
            };
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** Format: int64 */
                    readonly amount: number;
                    /**
                     * @description Stands in the statement.
                     * @default unit grant
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly account_id: string;
                        readonly kind: string;
                        /** Format: int64 */
                        readonly seq: number;
                        /** Format: date-time */
                        readonly at: string;
                        /** @enum {string} */
                        readonly asset: "credits" | "units";
                        /** Format: int64 */
                        readonly amount: number;
                        readonly reason: string;
                        readonly request_id: string | null;
                        readonly balance: {
                            /** Format: int64 */
                            readonly total: number;
                            /** Format: int64 */
                            readonly held: number;
                            /** Format: int64 */
                            readonly available: number;
                        };
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly adjust: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The same key again changes nothing more. */
                readonly "idempotency-key": string;
            };
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @default credits
                     * @enum {string}
                     */
                    readonly asset?: "credits" | "units";
                    /** Format: int64 */
                    readonly amount: number;
                    /** @description Stands in the statement. */
                    readonly reason: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly account_id: string;
                        readonly kind: string;
                        /** Format: int64 */
                        readonly seq: number;
                        /** Format: date-time */
                        readonly at: string;
                        /** @enum {string} */
                        readonly asset: "credits" | "units";
                        /** Format: int64 */
                        readonly amount: number;
                        readonly reason: string;
                        readonly request_id: string | null;
                        readonly balance: {
                            /** Format: int64 */
                            readonly total: number;
                            /** Format: int64 */
                            readonly held: number;
                            /** Format: int64 */
                            readonly available: number;
                        };
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly readBalance: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Balance"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listHolds: {
        readonly parameters: {
            readonly query?: {
                /** @description Items of this page; 50 when absent. */
                readonly limit?: number;
                /** @description `next_cursor` of the page before. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["Hold"][];
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly readStatement: {
        readonly parameters: {
            readonly query?: {
                /** @description Items of this page; 50 when absent. */
                readonly limit?: number;
                /** @description `next_cursor` of the page before. */
                readonly cursor?: string;
                /** @description Booked at this time or later. */
                readonly from?: string;
                /** @description Booked before this time. */
                readonly to?: string;
                readonly format?: "json" | "csv";
            };
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description Of CSV: `next_cursor`; absent on the last page. */
                    readonly "X-Next-Cursor"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["StatementRow"][];
                        readonly next_cursor: string | null;
                    };
                    /** @example entry_id,at,kind,asset,change_available,change_held,available_after,held_after,product_code,price_version,project_id,refresh_id,request_id,reason */
                    readonly "text/csv": string;
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly readTerms: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Terms"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly setFunding: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The same key again changes nothing more. */
                readonly "idempotency-key": string;
            };
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @constant */
                    readonly mode: "credits";
                    /** @default null */
                    readonly reason?: string | null;
                } | {
                    /** @constant */
                    readonly mode: "subscription";
                    /** Format: int64 */
                    readonly units_per_month: number;
                    /** @default null */
                    readonly reason?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Terms"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly setSpendCap: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The same key again changes nothing more. */
                readonly "idempotency-key": string;
            };
            readonly path: {
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Null for none. */
                    readonly cap: number | null;
                    /** @default null */
                    readonly reason?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Terms"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly setCredentialSpendCap: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description The same key again changes nothing more. */
                readonly "idempotency-key": string;
            };
            readonly path: {
                readonly credential_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Null for none. */
                    readonly cap: number | null;
                    /** @default null */
                    readonly reason?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Terms"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listPriceLists: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["PriceList"][];
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly publishPriceList: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly version: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** Format: date-time */
                    readonly effective_at?: string;
                    /** Format: int32 */
                    readonly refresh_reservation: number;
                    /** Format: int32 */
                    readonly refresh_block: number;
                    /** Format: int32 */
                    readonly refresh_block_assets: number;
                    /** Format: int32 */
                    readonly refresh_diagnostic: number;
                    /**
                     * Format: int32
                     * @description `refresh_block` where it is absent.
                     */
                    readonly watch_changed_block?: number;
                    /**
                     * Format: int32
                     * @description `refresh_block` where it is absent.
                     */
                    readonly watch_unchanged_block?: number;
                    /** Format: int32 */
                    readonly live_page: number;
                    /** Format: int32 */
                    readonly current_page: number;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PriceList"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listWebhookEndpoints: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["WebhookEndpoint"][];
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly readWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project_id: string;
                readonly endpoint_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly deleteWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project_id: string;
                readonly endpoint_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly endpoint_id: string;
                        /** @constant */
                        readonly deleted: true;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly changeWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project_id: string;
                readonly endpoint_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @enum {string} */
                    readonly state: "enabled" | "disabled";
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listWebhookDeliveries: {
        readonly parameters: {
            readonly query?: {
                /** @description Items of this page; 50 when absent. */
                readonly limit?: number;
                /** @description `next_cursor` of the page before. */
                readonly cursor?: string;
                /** @description Only deliveries in this state. */
                readonly state?: "pending" | "delivered" | "failed";
                /** @description Created at this time or later. */
                readonly from?: string;
                /** @description Created before this time. */
                readonly to?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly project_id: string;
                readonly endpoint_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["WebhookDelivery"][];
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly rotateWebhookSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The same key again changes nothing more. */
                readonly "idempotency-key"?: string;
            };
            readonly path: {
                readonly project_id: string;
                readonly endpoint_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * Format: int32
                     * @description How long the replaced secret continues to sign.
                     * @default 86400
                     */
                    readonly overlap_seconds?: number;
                    /**
                     * @description Also while two secrets sign: the older one ends at once.
                     * @default false
                     */
                    readonly force?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    /** @description `true` where the key had been used before. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly testWebhookEndpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project_id: string;
                readonly endpoint_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description Accepted. */
            readonly 202: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly event_id: string;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly redeliverWebhookEvents: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly project_id: string;
                readonly endpoint_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly event_id: string;
                } | {
                    /** Format: date-time */
                    readonly since: string;
                    /** Format: date-time */
                    readonly until?: string;
                };
            };
        };
        readonly responses: {
            /** @description Accepted. */
            readonly 202: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** Format: int64 */
                        readonly redelivered: number;
                        readonly continue_since: string | null;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listWatches: {
        readonly parameters: {
            readonly query?: {
                /** @description Items of this page; 50 when absent. */
                readonly limit?: number;
                /** @description `next_cursor` of the page before. */
                readonly cursor?: string;
                /** @description Only watches in this state; a pause by an operator counts from its next run on. */
                readonly state?: "active" | "paused";
            };
            readonly header?: never;
            readonly path: {
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly watch_id: string;
                            readonly account_id: string;
                            readonly project_id: string;
                            /** @description That put it last. */
                            readonly credential_id: string | null;
                            readonly scope: {
                                readonly platform_id: string;
                                /** Format: int64 */
                                readonly app_id: number;
                                /** Format: int32 */
                                readonly context_id: number;
                            };
                            /** Format: int64 */
                            readonly every_seconds: number;
                            /** @enum {string} */
                            readonly language: "arabic" | "brazilian" | "bulgarian" | "czech" | "danish" | "dutch" | "english" | "finnish" | "french" | "german" | "greek" | "hungarian" | "indonesian" | "italian" | "japanese" | "koreana" | "latam" | "norwegian" | "polish" | "portuguese" | "romanian" | "russian" | "schinese" | "spanish" | "swedish" | "tchinese" | "thai" | "turkish" | "ukrainian" | "vietnamese";
                            readonly max_credits_per_day: number | null;
                            /** @enum {string} */
                            readonly state: "active" | "paused";
                            readonly paused_reason: ("insufficient_funds" | "spend_cap_reached" | "daily_limit_reached" | "permission_removed" | "owner_suspended" | "operator_paused") | null;
                            /** @description When the next run is due; of a paused watch, when its reason is checked again. */
                            readonly next_refresh_at: string | null;
                            readonly last_refresh_id: string | null;
                            /** @description Null while the last run is open. */
                            readonly last_outcome: ("complete_changed" | "complete_unchanged" | "private" | "not_found" | "upstream_unavailable" | "incomplete" | "cancelled" | "internal_failure") | null;
                            /** Format: date-time */
                            readonly created_at: string;
                        }[];
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly readWatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly platform_id: string;
                readonly app_id: number;
                readonly context_id: number;
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly watch_id: string;
                        readonly account_id: string;
                        readonly project_id: string;
                        /** @description That put it last. */
                        readonly credential_id: string | null;
                        readonly scope: {
                            readonly platform_id: string;
                            /** Format: int64 */
                            readonly app_id: number;
                            /** Format: int32 */
                            readonly context_id: number;
                        };
                        /** Format: int64 */
                        readonly every_seconds: number;
                        /** @enum {string} */
                        readonly language: "arabic" | "brazilian" | "bulgarian" | "czech" | "danish" | "dutch" | "english" | "finnish" | "french" | "german" | "greek" | "hungarian" | "indonesian" | "italian" | "japanese" | "koreana" | "latam" | "norwegian" | "polish" | "portuguese" | "romanian" | "russian" | "schinese" | "spanish" | "swedish" | "tchinese" | "thai" | "turkish" | "ukrainian" | "vietnamese";
                        readonly max_credits_per_day: number | null;
                        /** @enum {string} */
                        readonly state: "active" | "paused";
                        readonly paused_reason: ("insufficient_funds" | "spend_cap_reached" | "daily_limit_reached" | "permission_removed" | "owner_suspended" | "operator_paused") | null;
                        /** @description When the next run is due; of a paused watch, when its reason is checked again. */
                        readonly next_refresh_at: string | null;
                        readonly last_refresh_id: string | null;
                        /** @description Null while the last run is open. */
                        readonly last_outcome: ("complete_changed" | "complete_unchanged" | "private" | "not_found" | "upstream_unavailable" | "incomplete" | "cancelled" | "internal_failure") | null;
                        /** Format: date-time */
                        readonly created_at: string;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly pauseWatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly platform_id: string;
                readonly app_id: number;
                readonly context_id: number;
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly watch_id: string;
                        readonly account_id: string;
                        readonly project_id: string;
                        /** @description That put it last. */
                        readonly credential_id: string | null;
                        readonly scope: {
                            readonly platform_id: string;
                            /** Format: int64 */
                            readonly app_id: number;
                            /** Format: int32 */
                            readonly context_id: number;
                        };
                        /** Format: int64 */
                        readonly every_seconds: number;
                        /** @enum {string} */
                        readonly language: "arabic" | "brazilian" | "bulgarian" | "czech" | "danish" | "dutch" | "english" | "finnish" | "french" | "german" | "greek" | "hungarian" | "indonesian" | "italian" | "japanese" | "koreana" | "latam" | "norwegian" | "polish" | "portuguese" | "romanian" | "russian" | "schinese" | "spanish" | "swedish" | "tchinese" | "thai" | "turkish" | "ukrainian" | "vietnamese";
                        readonly max_credits_per_day: number | null;
                        /** @enum {string} */
                        readonly state: "active" | "paused";
                        readonly paused_reason: ("insufficient_funds" | "spend_cap_reached" | "daily_limit_reached" | "permission_removed" | "owner_suspended" | "operator_paused") | null;
                        /** @description When the next run is due; of a paused watch, when its reason is checked again. */
                        readonly next_refresh_at: string | null;
                        readonly last_refresh_id: string | null;
                        /** @description Null while the last run is open. */
                        readonly last_outcome: ("complete_changed" | "complete_unchanged" | "private" | "not_found" | "upstream_unavailable" | "incomplete" | "cancelled" | "internal_failure") | null;
                        /** Format: date-time */
                        readonly created_at: string;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly resumeWatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly platform_id: string;
                readonly app_id: number;
                readonly context_id: number;
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly watch_id: string;
                        readonly account_id: string;
                        readonly project_id: string;
                        /** @description That put it last. */
                        readonly credential_id: string | null;
                        readonly scope: {
                            readonly platform_id: string;
                            /** Format: int64 */
                            readonly app_id: number;
                            /** Format: int32 */
                            readonly context_id: number;
                        };
                        /** Format: int64 */
                        readonly every_seconds: number;
                        /** @enum {string} */
                        readonly language: "arabic" | "brazilian" | "bulgarian" | "czech" | "danish" | "dutch" | "english" | "finnish" | "french" | "german" | "greek" | "hungarian" | "indonesian" | "italian" | "japanese" | "koreana" | "latam" | "norwegian" | "polish" | "portuguese" | "romanian" | "russian" | "schinese" | "spanish" | "swedish" | "tchinese" | "thai" | "turkish" | "ukrainian" | "vietnamese";
                        readonly max_credits_per_day: number | null;
                        /** @enum {string} */
                        readonly state: "active" | "paused";
                        readonly paused_reason: ("insufficient_funds" | "spend_cap_reached" | "daily_limit_reached" | "permission_removed" | "owner_suspended" | "operator_paused") | null;
                        /** @description When the next run is due; of a paused watch, when its reason is checked again. */
                        readonly next_refresh_at: string | null;
                        readonly last_refresh_id: string | null;
                        /** @description Null while the last run is open. */
                        readonly last_outcome: ("complete_changed" | "complete_unchanged" | "private" | "not_found" | "upstream_unavailable" | "incomplete" | "cancelled" | "internal_failure") | null;
                        /** Format: date-time */
                        readonly created_at: string;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly readAdmission: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Admission"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly switchAdmission: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly operator_closed: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Admission"];
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly eraseInventory: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly platform_id: string;
                readonly app_id: number;
                readonly context_id: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly platform_id: string;
                        /** Format: int64 */
                        readonly app_id: number;
                        /** Format: int32 */
                        readonly context_id: number;
                        /** @constant */
                        readonly erased: true;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly verifyLedger: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly ok: boolean;
                        /** Format: date-time */
                        readonly started_at: string;
                        /** Format: date-time */
                        readonly finished_at: string;
                        /** Format: int64 */
                        readonly accounts: number;
                        /** Format: int64 */
                        readonly entries: number;
                        readonly problems: readonly {
                            readonly account_id: string;
                            readonly seq: number | null;
                            readonly problem: string;
                        }[];
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listQuarantinedAccounts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly accounts: readonly {
                            readonly account_id: string;
                            /** Format: date-time */
                            readonly since: string;
                            readonly detail: string;
                        }[];
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly liftQuarantine: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly account_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly account_id: string;
                        readonly lifted: boolean;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readonly listAudit: {
        readonly parameters: {
            readonly query?: {
                /** @description Items of this page; 50 when absent. */
                readonly limit?: number;
                /** @description `next_cursor` of the page before. */
                readonly cursor?: string;
                /** @description Entries from this time on. */
                readonly from?: string;
                /** @description Entries before this time. */
                readonly to?: string;
                /** @description Entries of this operator. */
                readonly operator?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly "X-Request-ID": components["headers"]["X-Request-ID"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly components["schemas"]["AuditEntry"][];
                        readonly next_cursor: string | null;
                    };
                };
            };
            /** @description Refused. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
export const operationAddresses = {
    createAccount: {"method":"post","template":"/operator/v1/accounts","path":[],"query":[],"header":[]},
    listAccounts: {"method":"get","template":"/operator/v1/accounts","path":[],"query":["limit","cursor"],"header":[]},
    readAccount: {"method":"get","template":"/operator/v1/accounts/{account_id}","path":["account_id"],"query":[],"header":[]},
    changeAccount: {"method":"patch","template":"/operator/v1/accounts/{account_id}","path":["account_id"],"query":[],"header":[]},
    createSandbox: {"method":"put","template":"/operator/v1/accounts/{account_id}/sandbox","path":["account_id"],"query":[],"header":[]},
    createProject: {"method":"post","template":"/operator/v1/accounts/{account_id}/projects","path":["account_id"],"query":[],"header":[]},
    listProjects: {"method":"get","template":"/operator/v1/accounts/{account_id}/projects","path":["account_id"],"query":["limit","cursor"],"header":[]},
    readProject: {"method":"get","template":"/operator/v1/projects/{project_id}","path":["project_id"],"query":[],"header":[]},
    changeProject: {"method":"patch","template":"/operator/v1/projects/{project_id}","path":["project_id"],"query":[],"header":[]},
    createServiceAccount: {"method":"post","template":"/operator/v1/accounts/{account_id}/service-accounts","path":["account_id"],"query":[],"header":[]},
    listServiceAccounts: {"method":"get","template":"/operator/v1/accounts/{account_id}/service-accounts","path":["account_id"],"query":["limit","cursor"],"header":[]},
    readServiceAccount: {"method":"get","template":"/operator/v1/service-accounts/{service_account_id}","path":["service_account_id"],"query":[],"header":[]},
    changeServiceAccount: {"method":"patch","template":"/operator/v1/service-accounts/{service_account_id}","path":["service_account_id"],"query":[],"header":[]},
    issueCredential: {"method":"post","template":"/operator/v1/projects/{project_id}/credentials","path":["project_id"],"query":[],"header":["idempotency-key"]},
    listCredentials: {"method":"get","template":"/operator/v1/projects/{project_id}/credentials","path":["project_id"],"query":["limit","cursor"],"header":[]},
    findCredential: {"method":"post","template":"/operator/v1/credentials/find","path":[],"query":[],"header":[]},
    readCredential: {"method":"get","template":"/operator/v1/credentials/{credential_id}","path":["credential_id"],"query":[],"header":[]},
    changeCredential: {"method":"patch","template":"/operator/v1/credentials/{credential_id}","path":["credential_id"],"query":[],"header":[]},
    rotateCredential: {"method":"post","template":"/operator/v1/credentials/{credential_id}/rotate","path":["credential_id"],"query":[],"header":["idempotency-key"]},
    revokeCredential: {"method":"post","template":"/operator/v1/credentials/{credential_id}/revoke","path":["credential_id"],"query":[],"header":[]},
    topUp: {"method":"post","template":"/operator/v1/accounts/{account_id}/top-ups","path":["account_id"],"query":[],"header":["idempotency-key"]},
    grantUnits: {"method":"post","template":"/operator/v1/accounts/{account_id}/unit-grants","path":["account_id"],"query":[],"header":["idempotency-key"]},
    adjust: {"method":"post","template":"/operator/v1/accounts/{account_id}/adjustments","path":["account_id"],"query":[],"header":["idempotency-key"]},
    readBalance: {"method":"get","template":"/operator/v1/accounts/{account_id}/balance","path":["account_id"],"query":[],"header":[]},
    listHolds: {"method":"get","template":"/operator/v1/accounts/{account_id}/holds","path":["account_id"],"query":["limit","cursor"],"header":[]},
    readStatement: {"method":"get","template":"/operator/v1/accounts/{account_id}/statement","path":["account_id"],"query":["limit","cursor","from","to","format"],"header":[]},
    readTerms: {"method":"get","template":"/operator/v1/accounts/{account_id}/terms","path":["account_id"],"query":[],"header":[]},
    setFunding: {"method":"put","template":"/operator/v1/accounts/{account_id}/funding","path":["account_id"],"query":[],"header":["idempotency-key"]},
    setSpendCap: {"method":"put","template":"/operator/v1/projects/{project_id}/spend-cap","path":["project_id"],"query":[],"header":["idempotency-key"]},
    setCredentialSpendCap: {"method":"put","template":"/operator/v1/credentials/{credential_id}/spend-cap","path":["credential_id"],"query":[],"header":["idempotency-key"]},
    listPriceLists: {"method":"get","template":"/operator/v1/price-lists","path":[],"query":[],"header":[]},
    publishPriceList: {"method":"put","template":"/operator/v1/price-lists/{version}","path":["version"],"query":[],"header":[]},
    listWebhookEndpoints: {"method":"get","template":"/operator/v1/projects/{project_id}/webhook-endpoints","path":["project_id"],"query":[],"header":[]},
    readWebhookEndpoint: {"method":"get","template":"/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}","path":["project_id","endpoint_id"],"query":[],"header":[]},
    changeWebhookEndpoint: {"method":"patch","template":"/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}","path":["project_id","endpoint_id"],"query":[],"header":[]},
    deleteWebhookEndpoint: {"method":"delete","template":"/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}","path":["project_id","endpoint_id"],"query":[],"header":[]},
    listWebhookDeliveries: {"method":"get","template":"/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}/deliveries","path":["project_id","endpoint_id"],"query":["limit","cursor","state","from","to"],"header":[]},
    rotateWebhookSecret: {"method":"post","template":"/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}/rotate-secret","path":["project_id","endpoint_id"],"query":[],"header":["idempotency-key"]},
    testWebhookEndpoint: {"method":"post","template":"/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}/test","path":["project_id","endpoint_id"],"query":[],"header":[]},
    redeliverWebhookEvents: {"method":"post","template":"/operator/v1/projects/{project_id}/webhook-endpoints/{endpoint_id}/redeliver","path":["project_id","endpoint_id"],"query":[],"header":[]},
    listWatches: {"method":"get","template":"/operator/v1/projects/{project_id}/watches","path":["project_id"],"query":["limit","cursor","state"],"header":[]},
    readWatch: {"method":"get","template":"/operator/v1/projects/{project_id}/watches/{platform_id}/{app_id}/{context_id}","path":["platform_id","app_id","context_id","project_id"],"query":[],"header":[]},
    pauseWatch: {"method":"post","template":"/operator/v1/projects/{project_id}/watches/{platform_id}/{app_id}/{context_id}/pause","path":["platform_id","app_id","context_id","project_id"],"query":[],"header":[]},
    resumeWatch: {"method":"post","template":"/operator/v1/projects/{project_id}/watches/{platform_id}/{app_id}/{context_id}/resume","path":["platform_id","app_id","context_id","project_id"],"query":[],"header":[]},
    readAdmission: {"method":"get","template":"/operator/v1/admission","path":[],"query":[],"header":[]},
    switchAdmission: {"method":"put","template":"/operator/v1/admission","path":[],"query":[],"header":[]},
    eraseInventory: {"method":"delete","template":"/operator/v1/inventories/{platform_id}/{app_id}/{context_id}","path":["platform_id","app_id","context_id"],"query":[],"header":[]},
    verifyLedger: {"method":"post","template":"/operator/v1/ledger/verify","path":[],"query":[],"header":[]},
    listQuarantinedAccounts: {"method":"get","template":"/operator/v1/ledger/quarantine","path":[],"query":[],"header":[]},
    liftQuarantine: {"method":"post","template":"/operator/v1/ledger/quarantine/{account_id}/lift","path":["account_id"],"query":[],"header":[]},
    listAudit: {"method":"get","template":"/operator/v1/audit","path":[],"query":["limit","cursor","from","to","operator"],"header":[]},
} as const;
