import type { RequestListener } from 'node:http';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import type { LedgerClient } from '../accounts/ledger-client.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { Deadlines } from '../deadlines.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { AdmissionClient } from './admission-client.ts';
import { createOperatorApp } from './operator-app.ts';
import { operatorRoutes } from './operator-routes.ts';
import type { RevisionStoreEraseClient } from './revision-store-erase-client.ts';

export interface OperatorApiDeps {
  readonly commands: RequestReplyClient;
  readonly tenancy: Tenancy;
  readonly ledger: LedgerClient;
  readonly admission: AdmissionClient;
  readonly inventories: RevisionStoreEraseClient;
  readonly webhooks: WebhookClient;
  /** Bearer token that every call must have; at least 16 characters. */
  readonly token: string;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
  readonly deadlines: Pick<Deadlines, 'ledgerAnswerMs'>;
}

const tokenCharactersMin = 16;

/** The operator API, `/operator/v1/…`; served on the private port only. */
export function openOperatorApi(deps: OperatorApiDeps): RequestListener {
  invariant(deps.token.length >= tokenCharactersMin, 'the operator token is too short');
  return createOperatorApp({ ...deps, routes: operatorRoutes.map((route) => route.bind(deps)) });
}
