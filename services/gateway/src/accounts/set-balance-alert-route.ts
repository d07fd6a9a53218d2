import { balanceAlert } from '@inventory/contracts/http/account';
import { dataRoute } from '../http/data-route.ts';
import { type SetBalanceAlertDeps, setBalanceAlert } from './set-balance-alert.ts';

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
  answer: {
    status: 200,
    description: 'The alert is set.',
    data: balanceAlert,
    example: { threshold: 500 },
  },
  errors: [],
  async handle(deps: SetBalanceAlertDeps, { body }, { requestId, principal: { accountId } }) {
    const { threshold } = body;
    await setBalanceAlert(deps, { accountId, requestId, threshold });
    return { data: { threshold } };
  },
});
