import { type AdmissionView, refreshApi } from '@inventory/contracts/internal/refresh';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { internalRoute } from '@inventory/http/internal-route';
import { type AdmissionState, whyClosed } from './admission.domain.ts';
import type { Admission } from './open-admission.ts';

/** What the gateway reads of an attempt that is not made yet. */
const readAttemptRoute = internalRoute({
  ...refreshApi.readAttempt,
  async handle({ saga, watch, observations, expectations }: Admission, { path, query }) {
    const { accountId, idempotencyKey: key, language, maxAgeSeconds, ...scope } = query;
    const isKnown =
      key !== undefined && (await saga.refreshes.readKeyState(path.projectId, key)).holder !== null;
    if (isKnown) return { isKnownKey: true, refusal: null, isSaved: false };
    const expectedPages = await expectations.pagesOf(inventoryKeyText(scope));
    const refusal = await watch.refusalOf(accountId, scope, expectedPages);
    if (language === undefined || maxAgeSeconds === undefined) {
      return { isKnownKey: false, refusal, isSaved: false };
    }
    const saved = await observations.find({ scope, language, freshness: { maxAgeSeconds } });
    return { isKnownKey: false, refusal, isSaved: saved !== null };
  },
});

/** Reads and changes the admission state for operators, and reads it for an attempt. */
export const admissionRoutes = [
  readAttemptRoute,
  internalRoute({
    ...refreshApi.readAdmission,
    handle: async ({ store, outstandingMax }: Admission) =>
      admissionView(await store.readAdmission(), outstandingMax),
  }),
  internalRoute({
    ...refreshApi.setAdmission,
    async handle({ store, watch, outstandingMax }: Admission, { body }) {
      const state = await store.setOperatorClosed(body.operatorClosed);
      // On this replica the change applies at once.
      await watch.update();
      return admissionView(state, outstandingMax);
    },
  }),
];

function admissionView(admission: AdmissionState, outstandingMax: number): AdmissionView {
  const { operatorClosed, outstanding } = admission;
  const reason = whyClosed(admission, false);
  return {
    state: reason ? 'closed' : 'open',
    reason,
    operatorClosed,
    outstanding,
    outstandingMax,
  };
}
