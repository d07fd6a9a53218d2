import { type AdmissionView, admissionChange } from '@inventory/contracts/internal/refresh';
import { readJson } from '@inventory/http/read-body';
import type Router from '@koa/router';
import { type AdmissionState, closedReason } from './admission.domain.ts';
import type { AdmissionStore } from './admission-store.ts';

export interface AdmissionRoutes {
  readonly store: AdmissionStore;
  readonly outstandingMax: number;
  /** Applies a change on this replica at once. */
  readonly update: () => Promise<void>;
}

/** Reads and changes the admission state for operators. */
export function addAdmissionRoutes(router: Router, routes: AdmissionRoutes): void {
  router.get('/admission', async (context) => {
    context.body = toWire(await routes.store.readAdmission(), routes.outstandingMax);
  });
  router.put('/admission', async (context) => {
    const { operator_closed: closed } = admissionChange.parse(await readJson(context.req));
    const state = await routes.store.setOperatorClosed(closed);
    await routes.update();
    context.body = toWire(state, routes.outstandingMax);
  });
}

function toWire(admission: AdmissionState, outstandingMax: number): AdmissionView {
  const reason = closedReason(admission, false);
  return {
    state: reason ? 'closed' : 'open',
    reason,
    operator_closed: admission.operatorClosed,
    outstanding: admission.outstanding,
    outstanding_max: outstandingMax,
  };
}
