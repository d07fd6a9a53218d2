import type { LedgerClient } from '../accounts/ledger-client.ts';
import type { AdmissionClient } from './admission-client.ts';
import { type OperatorRoute, operatorRoute } from './operator-route.ts';
import { admissionBody, noBody, scopePath } from './operator-schemas.ts';
import type { RevisionStoreEraseClient } from './revision-store-erase-client.ts';

interface ServiceRoutesDeps {
  readonly ledger: Pick<LedgerClient, 'verify'>;
  readonly admission: AdmissionClient;
  readonly inventories: RevisionStoreEraseClient;
}

/** What other services do for an operator. */
export function serviceRoutes(options: ServiceRoutesDeps): OperatorRoute[] {
  const { ledger, admission, inventories } = options;
  return [
    operatorRoute({
      method: 'get',
      path: '/admission',
      parts: {},
      handle: () => admission.show(),
    }),
    operatorRoute({
      method: 'put',
      path: '/admission',
      action: 'admission.change',
      parts: { body: admissionBody },
      handle: ({ body }) => admission.change(body.operator_closed),
    }),
    operatorRoute({
      method: 'delete',
      path: '/inventories/:platform_id/:app_id/:context_id',
      action: 'inventory.erase',
      parts: { path: scopePath },
      async handle({ path }) {
        await inventories.erase(path);
        return { ...path, erased: true };
      },
    }),
    operatorRoute({
      method: 'post',
      path: '/ledger/verify',
      action: 'ledger.verify',
      parts: { body: noBody },
      handle: () => ledger.verify(),
    }),
  ];
}
