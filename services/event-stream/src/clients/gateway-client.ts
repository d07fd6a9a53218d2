import type { ProjectId } from '@inventory/contracts/ids';
import { projectStanding } from '@inventory/contracts/internal/webhooks';
import { CallRefused, type InternalClient } from '@inventory/http/internal-client';

/** Asks who owns Projects. Rejects with ServiceUnreachable when it does not answer. */
export interface GatewayClient {
  /** Whether the Project's events may be sent: it and its account are active and have events. */
  mayHaveEvents(projectId: ProjectId): Promise<boolean>;
}

export function createGatewayClient(client: InternalClient): GatewayClient {
  return {
    async mayHaveEvents(projectId) {
      try {
        const path = `/internal/projects/${projectId}/standing`;
        return (await client.json(projectStanding, { method: 'GET', path })).events;
      } catch (error) {
        if (error instanceof CallRefused && error.status === 404) return false;
        throw error;
      }
    },
  };
}
