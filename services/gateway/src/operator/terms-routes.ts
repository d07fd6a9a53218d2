import { Refused } from '@inventory/http/refused';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { configureAccount } from '../accounts/configure-account.ts';
import type { LedgerClient } from '../accounts/ledger-client.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { Deadlines } from '../deadlines.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { type OperatorRoute, operatorRoute } from './operator-route.ts';
import {
  accountPath,
  bookingHeaders,
  fundingBody,
  projectPath,
  spendCapBody,
} from './operator-schemas.ts';

interface TermsRoutesDeps {
  readonly commands: RequestReplyClient;
  readonly tenancy: Pick<Tenancy, 'findAccount' | 'findProject'>;
  readonly ledger: Pick<LedgerClient, 'terms'>;
  readonly identifiers: Identifiers;
  readonly deadlines: Pick<Deadlines, 'ledgerAnswerMs'>;
}

/** How an account pays, and what its Projects may spend. */
export function termsRoutes(options: TermsRoutesDeps): OperatorRoute[] {
  const { tenancy, ledger } = options;
  return [
    operatorRoute({
      method: 'get',
      path: '/accounts/:account_id/terms',
      parts: { path: accountPath },
      async handle({ path }) {
        const account = await tenancy.findAccount(path.account_id);
        if (account === null) throw new Refused({ code: 'account_not_found' });
        return ledger.terms(path.account_id);
      },
    }),
    operatorRoute({
      method: 'put',
      path: '/accounts/:account_id/funding',
      action: 'account.funding',
      parts: { path: accountPath, header: bookingHeaders, body: fundingBody },
      handle: ({ path, header, body: { reason, ...funding } }) =>
        configureAccount(options, {
          accountId: path.account_id,
          change: { sets: 'funding', funding },
          reason,
          idempotencyKey: header['idempotency-key'],
        }),
    }),
    operatorRoute({
      method: 'put',
      path: '/projects/:project_id/spend-cap',
      action: 'project.spend-cap',
      parts: { path: projectPath, header: bookingHeaders, body: spendCapBody },
      async handle({ path, header, body: { cap, reason } }) {
        const project = await tenancy.findProject(path.project_id);
        if (project === null) throw new Refused({ code: 'project_not_found' });
        return configureAccount(options, {
          accountId: project.accountId,
          change: { sets: 'spend_cap', project_id: project.id, cap },
          reason,
          idempotencyKey: header['idempotency-key'],
        });
      },
    }),
  ];
}
