import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import { eventAccessApi } from '@inventory/contracts/internal/webhooks';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';

/** Client of the gateway, which owns Projects. Rejects with ServiceUnreachable without a response. */
export type GatewayClient = ReturnType<typeof createGatewayClient>;

export function createGatewayClient({ call }: InternalClient) {
  return {
    /** Whether the Project may receive events: it and its account are active with events enabled. */
    async mayHaveEvents(projectId: ProjectId): Promise<boolean> {
      const read = call(eventAccessApi.readEventAccess, { path: { projectId } });
      return (await nullIfRefused(read))?.events ?? false;
    },
    /** The Projects of the account; none while its events are off. */
    async *listEventProjects(accountId: AccountId): AsyncGenerator<ProjectId> {
      let after: ProjectId | null | undefined;
      while (after !== null) {
        const input = { path: { accountId }, query: { after } };
        const part = await call(eventAccessApi.listEventProjects, input);
        yield* part.projectIds;
        after = part.nextAfter;
      }
    },
  };
}
