import type { RequestListener } from 'node:http';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import type { LedgerClient } from '../accounts/ledger-client.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import { createPeerBuckets } from '../http/peer-buckets.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { AdmissionClient } from './admission-client.ts';
import { createAudit } from './audit.ts';
import type { AuditStore } from './audit-store.ts';
import { createOperatorApp } from './operator-app.ts';
import { operatorRoutes } from './operator-routes.ts';
import type { Operator } from './operators.domain.ts';
import type { RevisionStoreEraseClient } from './revision-store-erase-client.ts';

export interface OperatorApiDeps {
  readonly commands: RequestReplyClient;
  readonly tenancy: Tenancy;
  readonly ledger: LedgerClient;
  readonly admission: AdmissionClient;
  readonly inventories: RevisionStoreEraseClient;
  readonly webhooks: WebhookClient;
  readonly operators: readonly Operator[];
  /** Wrong tokens that one peer may send in a minute. */
  readonly attemptsPerMinute: number;
  readonly auditStore: AuditStore;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
  readonly deadlines: { readonly ledgerAnswerMs: number };
}

/** The operator API, `/operator/v1/…`. */
export function openOperatorApi(deps: OperatorApiDeps): RequestListener {
  const { auditStore, clock, attemptsPerMinute: perMinute } = deps;
  return createOperatorApp({
    ...deps,
    audit: createAudit({ ...deps, store: auditStore }),
    attempts: createPeerBuckets({ perMinute, clock }),
    routes: operatorRoutes.map((route) => route.bind(deps)),
  });
}
