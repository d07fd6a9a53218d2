import type { RefreshState } from '@inventory/contracts/vocabulary';
import { waitFor } from '@inventory/testkit/wait-for';
import type { ApiResponse } from '../../../services/gateway/test/support/api-call.ts';
import type { PublicApi } from './public-api.ts';

const listedMax = 100;

/**
 * Waits until all these refreshes of one Project are completed, with one request for up to 100.
 * The limit of a wait is for the next of them, however many they are.
 */
export async function untilCompleted(
  api: PublicApi,
  projectId: string,
  refreshIds: readonly string[],
): Promise<void> {
  for (let from = 0; from < refreshIds.length; from += listedMax) {
    const asked = refreshIds.slice(from, from + listedMax);
    const query = `?limit=100&state=completed&${asked.map((id) => `refresh_id=${id}`).join('&')}`;
    const countLeft = async () => {
      const response = await api.list(projectId, query);
      if (response.status !== 200) throw new Error(`${response.status} ${response.text}`);
      return asked.length - response.json.data.items.length;
    };
    for (let left = asked.length; left > 0; ) {
      left = await waitFor(
        `fewer than ${left} of ${asked.length} refreshes are pending`,
        async () => {
          const now = await countLeft();
          return now < left ? { now } : false;
        },
        { everyMs: 250 },
      ).then(({ now }) => now);
    }
  }
}

const order: readonly RefreshState[] = [
  'accepted',
  'queued',
  'collecting',
  'settling',
  'completed',
];

/** The order of a refresh's states; a refresh never returns to an earlier one. */
export function progressOf(state: string): number {
  return order.indexOf(state as RefreshState);
}

/** Every answer of the status until the refresh is completed, that one included. */
export async function watchRefresh(api: PublicApi, refreshId: string): Promise<ApiResponse[]> {
  const responses: ApiResponse[] = [];
  await waitFor(
    `refresh ${refreshId} is completed`,
    async () => {
      const response = await api.status(refreshId);
      responses.push(response);
      return response.json.data?.state === 'completed';
    },
    { everyMs: 100 },
  );
  return responses;
}
