import { balanceAlert } from '@inventory/contracts/http/account';
import { dataRoute } from '../http/data-route.ts';
import type { AccountServices } from './account-services.ts';
import { configureAccount } from './configure-account.ts';

/** PUT /v2/account/balance-alert: warns once each time the balance falls below the threshold. */
export const setBalanceAlertRoute = dataRoute({
  operationId: 'setBalanceAlert',
  tag: 'Account',
  summary: 'Balance alert',
  description:
    'Warns once each time less than the threshold becomes available; null for no alert. Setting ' +
    'it again is safe.',
  method: 'PUT',
  template: '/v2/account/balance-alert',
  permission: 'customer.account.manage.v1',
  input: { body: balanceAlert },
  bodyExample: { threshold: 500 },
  response: {
    status: 200,
    description: 'The alert is set.',
    data: balanceAlert,
    example: { threshold: 500 },
  },
  errors: [],
  async handle(services: AccountServices, { body }, { requestId, principal: { accountId } }) {
    const { threshold } = body;
    await configureAccount(
      services,
      { accountId, requestId },
      { sets: 'balance_alert', threshold },
    );
    return { data: { threshold } };
  },
});
