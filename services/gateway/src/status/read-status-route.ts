import { type ServiceStatus, serviceStatus } from '@inventory/contracts/http/status';
import type { Clock } from '@inventory/runtime/clock';
import { dataRoute } from '../http/data-route.ts';

export interface StatusServices {
  readonly readStatus: () => Promise<ServiceStatus>;
}

/** GET /v2/status: how the service does, for anyone. */
export const readStatusRoute = dataRoute({
  operationId: 'readStatus',
  tag: 'Status',
  summary: 'Status',
  description:
    'Whether refreshes are admitted, how long one is expected to take, which applications the ' +
    'platform does not serve, and what ended in each quarter of an hour of the last day, over all ' +
    'live customers. At most five seconds old. The page `/status` draws it.',
  method: 'GET',
  template: '/v2/status',
  isOpen: true,
  input: {},
  response: {
    status: 200,
    description: 'The status. May be cached for five seconds.',
    data: serviceStatus,
    example: {
      at: '2026-01-15T10:00:00.000Z',
      admission: { state: 'open', reason: null },
      expected_wait_seconds: 14,
      circuit_breakers: [{ app_id: 440, state: 'open', open_until: '2026-01-15T10:01:00.000Z' }],
      quarter_hours: [
        {
          start: '2026-01-15T09:45:00.000Z',
          measured: true,
          completed: 512,
          failed: 3,
          wait_p50_seconds: 8,
          wait_p95_seconds: 48,
        },
      ],
    },
  },
  errors: [],
  handle: async ({ readStatus }: StatusServices) => ({
    data: await readStatus(),
    headers: { 'Cache-Control': 'public, max-age=5' },
  }),
});

/** A status for all requests of a replica until it is too old; a failure is not kept. */
export function cacheStatus(
  read: () => Promise<ServiceStatus>,
  {
    clock,
    deadlines,
  }: { readonly clock: Clock; readonly deadlines: { readonly statusAgeMs: number } },
): () => Promise<ServiceStatus> {
  let kept: { readonly atMs: number; readonly status: ServiceStatus } | undefined;
  let reading: Promise<ServiceStatus> | undefined;

  async function readAgain(): Promise<ServiceStatus> {
    const atMs = clock.now();
    const status = await read();
    kept = { atMs, status };
    return status;
  }

  return async () => {
    if (kept && clock.now() - kept.atMs < deadlines.statusAgeMs) return kept.status;
    reading ??= readAgain().finally(() => {
      reading = undefined;
    });
    return await reading;
  };
}
