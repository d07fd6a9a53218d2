import type { RequestListener } from 'node:http';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import type { AdmissionClient } from './clients/admission-client.ts';
import type { LedgerClient } from './clients/ledger-client.ts';
import type { RevisionStoreEraseClient } from './clients/revision-store-erase-client.ts';
import type { WebhookClient } from './clients/webhook-client.ts';
import type { Deadlines } from './deadlines.ts';
import { accountRoutes } from './http/operator/account-routes.ts';
import { credentialRoutes } from './http/operator/credential-routes.ts';
import { moneyRoutes } from './http/operator/money-routes.ts';
import { createOperatorApp } from './http/operator/operator-app.ts';
import { projectRoutes } from './http/operator/project-routes.ts';
import { serviceRoutes } from './http/operator/service-routes.ts';
import { termsRoutes } from './http/operator/terms-routes.ts';
import { webhookRoutes } from './http/operator/webhook-routes.ts';
import type { Tenancy } from './open-tenancy.ts';
import type { ReplyChannel } from './operations/request-reply.ts';

interface OperatorApiOptions extends ReplyChannel {
  readonly tenancy: Tenancy;
  readonly ledger: LedgerClient;
  readonly admission: AdmissionClient;
  readonly inventories: RevisionStoreEraseClient;
  readonly webhooks: WebhookClient;
  /** What an operator must present; at least 16 characters. */
  readonly token: string;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
  readonly deadlines: Pick<Deadlines, 'ledgerAnswerMs'>;
}

const tokenCharactersMin = 16;

/** The operator API, `/operator/v1/…`; to be served on its own port only. */
export function openOperatorApi(options: OperatorApiOptions): RequestListener {
  const { tenancy, clock, token } = options;
  invariant(token.length >= tokenCharactersMin, 'the operator token is too short');
  const routes = [
    ...accountRoutes(tenancy),
    ...projectRoutes(tenancy, clock),
    ...credentialRoutes(tenancy, clock),
    ...moneyRoutes(options),
    ...termsRoutes(options),
    ...webhookRoutes(options),
    ...serviceRoutes(options),
  ];
  return createOperatorApp({ ...options, routes });
}
