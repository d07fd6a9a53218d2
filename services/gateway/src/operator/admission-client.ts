import { type AdmissionView, admissionView } from '@inventory/contracts/internal/refresh';
import type { InternalClient } from '@inventory/http/internal-client';

/** The refresh-collector's admission latch. Rejects with ServiceUnreachable without an answer. */
export interface AdmissionClient {
  readAdmission(): Promise<AdmissionView>;
  /** Closes by the operator, or takes the operator's closing back; other reasons stay. */
  setOperatorClosed(operatorClosed: boolean): Promise<AdmissionView>;
}

export function createAdmissionClient(client: InternalClient): AdmissionClient {
  return {
    readAdmission: () => client.json(admissionView, { method: 'GET', path: '/admission' }),
    setOperatorClosed: (operatorClosed) =>
      client.json(admissionView, {
        method: 'PUT',
        path: '/admission',
        body: { operator_closed: operatorClosed },
      }),
  };
}
