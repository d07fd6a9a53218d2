import type { ProjectId } from '@inventory/contracts/ids';
import { projectStanding } from '@inventory/contracts/internal/webhooks';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';

/** Asks who owns Projects. Rejects with ServiceUnreachable when it does not answer. */
export interface GatewayClient {
  /** Whether the Project's events may be sent: it and its account are active and have events. */
  mayHaveEvents(projectId: ProjectId): Promise<boolean>;
}

export function createGatewayClient(client: InternalClient): GatewayClient {
  return {
    async mayHaveEvents(projectId) {
      const path = `/internal/projects/${projectId}/standing`;
      const call = { method: 'GET', path, refusals: ['project_not_found'] } as const;
      const standing = await nullIfRefused(client.json(projectStanding, call));
      return standing?.events ?? false;
    },
  };
}
