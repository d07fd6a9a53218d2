import { type AdmissionView, refreshApi } from '@inventory/contracts/internal/refresh';
import { internalRoute } from '@inventory/http/internal-route';
import { type AdmissionState, closedReason } from './admission.domain.ts';
import type { AdmissionStore } from './admission-store.ts';

export interface AdmissionRoutesDeps {
  readonly store: AdmissionStore;
  readonly outstandingMax: number;
  /** Applies a change on this replica at once. */
  readonly update: () => Promise<void>;
}

/** Reads and changes the admission state for operators. */
export const admissionRoutes = [
  internalRoute({
    ...refreshApi.readAdmission,
    handle: async ({ store, outstandingMax }: AdmissionRoutesDeps) =>
      toWireAdmission(await store.readAdmission(), outstandingMax),
  }),
  internalRoute({
    ...refreshApi.setAdmission,
    async handle({ store, outstandingMax, update }: AdmissionRoutesDeps, { body }) {
      const state = await store.setOperatorClosed(body.operator_closed);
      await update();
      return toWireAdmission(state, outstandingMax);
    },
  }),
];

function toWireAdmission(admission: AdmissionState, outstandingMax: number): AdmissionView {
  const reason = closedReason(admission, false);
  return {
    state: reason ? 'closed' : 'open',
    reason,
    operator_closed: admission.operatorClosed,
    outstanding: admission.outstanding,
    outstanding_max: outstandingMax,
  };
}
