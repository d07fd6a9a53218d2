import { type AdmissionView, admissionChange } from '@inventory/contracts/internal/refresh';
import { readJson } from '@inventory/http/read-body';
import type Router from '@koa/router';
import { type AdmissionLatch, closedReason } from './admission.domain.ts';
import type { AdmissionStore } from './admission-store.ts';

export interface AdmissionRoutes {
  readonly store: AdmissionStore;
  readonly outstandingMax: number;
  /** Looks at the latch again at once. */
  readonly refresh: () => Promise<void>;
}

/** Admission as operators see and switch it. */
export function addAdmissionRoutes(router: Router, routes: AdmissionRoutes): void {
  router.get('/admission', async (context) => {
    context.body = toWire(await routes.store.read(), routes.outstandingMax);
  });
  router.put('/admission', async (context) => {
    const { operator_closed: closed } = admissionChange.parse(await readJson(context.req));
    const latch = await routes.store.setOperatorClosed(closed);
    await routes.refresh();
    context.body = toWire(latch, routes.outstandingMax);
  });
}

function toWire(latch: AdmissionLatch, outstandingMax: number): AdmissionView {
  const reason = closedReason(latch, false);
  return {
    state: reason ? 'closed' : 'open',
    reason,
    operator_closed: latch.operatorClosed,
    outstanding: latch.outstanding,
    outstanding_max: outstandingMax,
  };
}
