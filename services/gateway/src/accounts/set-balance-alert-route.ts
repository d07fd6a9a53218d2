import { envelope } from '../http/envelope.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { setBalanceAlertEndpoint } from './account-endpoints.ts';
import { type SetBalanceAlertDeps, setBalanceAlert } from './set-balance-alert.ts';

/** PUT /v2/account/balance-alert: warns once each time the balance falls below the threshold. */
export function setBalanceAlertRoute(deps: SetBalanceAlertDeps): Route {
  return defineRoute({
    ...setBalanceAlertEndpoint,
    async handle({ requestId, authority: { accountId } }, { body }) {
      const { threshold } = body;
      await setBalanceAlert(deps, { accountId, requestId, threshold });
      return { status: 200, body: envelope({ threshold }, { request_id: requestId }) };
    },
  });
}
