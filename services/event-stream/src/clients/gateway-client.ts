import type { ProjectId } from '@inventory/contracts/ids';
import { projectStanding, standingPath } from '@inventory/contracts/internal/webhooks';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';

/** Client of the gateway, which owns Projects. Rejects with ServiceUnreachable without a response. */
export interface GatewayClient {
  /** Whether the Project may receive events: it and its account are active with events enabled. */
  mayHaveEvents(projectId: ProjectId): Promise<boolean>;
}

export function createGatewayClient(client: InternalClient): GatewayClient {
  return {
    async mayHaveEvents(projectId) {
      const path = pathOf(standingPath, { project_id: projectId });
      const call = { method: 'GET', path, refusals: ['project_not_found'] } as const;
      const standing = await nullIfRefused(client.json(projectStanding, call));
      return standing?.events ?? false;
    },
  };
}
