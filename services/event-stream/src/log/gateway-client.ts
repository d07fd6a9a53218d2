import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import {
  eventProjects,
  eventProjectsPath,
  projectStanding,
  standingPath,
} from '@inventory/contracts/internal/webhooks';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';

/** Client of the gateway, which owns Projects. Rejects with ServiceUnreachable without a response. */
export interface GatewayClient {
  /** Whether the Project may receive events: it and its account are active with events enabled. */
  mayHaveEvents(projectId: ProjectId): Promise<boolean>;
  /** The Projects of the account; none while its events are off. */
  listEventProjects(accountId: AccountId): AsyncGenerator<ProjectId>;
}

export function createGatewayClient(client: InternalClient): GatewayClient {
  return {
    async mayHaveEvents(projectId) {
      const path = pathOf(standingPath, { project_id: projectId });
      const call = { method: 'GET', path, refusals: ['project_not_found'] } as const;
      const standing = await nullIfRefused(client.json(projectStanding, call));
      return standing?.events ?? false;
    },
    async *listEventProjects(accountId) {
      const path = pathOf(eventProjectsPath, { account_id: accountId });
      let after: ProjectId | null | undefined;
      while (after !== null) {
        const part = await client.json(eventProjects, { method: 'GET', path, query: { after } });
        yield* part.project_ids;
        after = part.next_after;
      }
    },
  };
}
