import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { pause } from '@inventory/runtime/wait';
import type { ApiResponse } from '../../../services/gateway/test/support/api-call.ts';
import type { PublicApi } from './public-api.ts';

type Operation = 'refresh' | 'status' | 'current' | 'live_page';

/** One answer, or the lack of one. */
export interface Attempt<Of extends Operation = 'refresh' | 'status' | 'current'> {
  readonly operation: Of;
  readonly atMs: number;
  /** 0 when the connection was refused or cut off. */
  readonly status: number;
  /** Error code; what went wrong where there was no answer. */
  readonly code: string | null;
  readonly retryAfter: string | null;
  readonly tookMs: number;
}

export interface AcceptedRefresh {
  readonly refreshId: string;
  readonly scope: InventoryKey;
  readonly key: string;
  readonly attempts: readonly Attempt[];
}

export interface PatientClientOptions {
  /** The gateways it uses; after a bad answer it tries the next one. */
  readonly apis: readonly PublicApi[];
  readonly nowMs: () => number;
  readonly onAttempt?: (attempt: Attempt) => void;
  readonly giveUpAfterMs: number;
  /** Repeats after these, too. */
  readonly alsoPassing?: readonly number[];
}

/** A client as the documentation recommends: an undecided request is repeated. */
export interface PatientClient {
  /** The same Idempotency-Key until the refresh is accepted. */
  refresh(scope: InventoryKey): Promise<AcceptedRefresh>;
}

const retryMs = 500;
/** Refused before or cut off; to be asked again with the same key. */
const passing = new Set([0, 409, 429, 503]);

export function createPatientClient(options: PatientClientOptions): PatientClient {
  const repeated = new Set([...passing, ...(options.alsoPassing ?? [])]);
  return {
    async refresh(scope) {
      const key = systemIdentifiers.uuidV7();
      const attempts: Attempt[] = [];
      const startMs = options.nowMs();
      for (let tries = 0; ; tries += 1) {
        const api = options.apis[tries % options.apis.length] as PublicApi;
        const { attempt, response } = await attemptOf('refresh', options.nowMs, () =>
          api.refresh(scope, { key }),
        );
        attempts.push(attempt);
        options.onAttempt?.(attempt);
        if (response?.status === 202) {
          return { refreshId: response.json.data.refresh_id, scope, key, attempts };
        }
        const late = options.nowMs() - startMs > options.giveUpAfterMs;
        if (late || !repeated.has(attempt.status)) {
          throw new Error(`not accepted: ${JSON.stringify(attempts.slice(-5))}`);
        }
        await pause(retryMs);
      }
    },
  };
}

/** Calls once and remembers how it went; never rejects. */
export async function attemptOf<Of extends Operation>(
  operation: Of,
  nowMs: () => number,
  call: () => Promise<ApiResponse>,
): Promise<{ readonly attempt: Attempt<Of>; readonly response: ApiResponse | null }> {
  const atMs = nowMs();
  try {
    const response = await call();
    const { status, headers, tookMs } = response;
    const code = status >= 400 ? response.json.error.code : null;
    const retryAfter = headers['retry-after'] ?? null;
    return { response, attempt: { operation, atMs, status, code, retryAfter, tookMs } };
  } catch (error) {
    const code = error instanceof Error ? error.message : String(error);
    const tookMs = nowMs() - atMs;
    return {
      response: null,
      attempt: { operation, atMs, status: 0, code, retryAfter: null, tookMs },
    };
  }
}
