import {
  type AdmissionView,
  admissionView,
  refreshPaths,
} from '@inventory/contracts/internal/refresh';
import type { InternalClient } from '@inventory/http/internal-client';

/** Admission of the refresh-collector. Rejects with ServiceUnreachable when it is unavailable. */
export interface AdmissionClient {
  readAdmission(): Promise<AdmissionView>;
  /** Sets or removes the closing by the operator; other reasons stay. */
  setOperatorClosed(operatorClosed: boolean): Promise<AdmissionView>;
}

export function createAdmissionClient(client: InternalClient): AdmissionClient {
  return {
    readAdmission: () =>
      client.json(admissionView, { method: 'GET', path: refreshPaths.admission }),
    setOperatorClosed: (operatorClosed) =>
      client.json(admissionView, {
        method: 'PUT',
        path: refreshPaths.admission,
        body: { operator_closed: operatorClosed },
      }),
  };
}
