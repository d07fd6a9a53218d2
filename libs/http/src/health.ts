import type { IncomingMessage, ServerResponse } from 'node:http';
import { telemetry } from '@inventory/runtime/telemetry-access';

export interface HealthChecks {
  /** Why the service cannot serve requests; empty when it is ready. */
  readonly notReady: () => Promise<readonly string[]>;
  /** Why the process must be restarted; empty while it is alive. */
  readonly notAlive: () => readonly string[];
}

/** Serves /livez, /readyz and /metrics; resolves with false for any other path. */
export async function serveHealth(
  checks: HealthChecks,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  switch (request.url?.split('?', 1)[0]) {
    case '/livez':
      answer(response, checks.notAlive());
      return true;
    case '/readyz':
      answer(response, await checks.notReady());
      return true;
    case '/metrics': {
      const provided = telemetry();
      if (provided) provided.serveMetrics(request, response);
      else answer(response, ['telemetry is not loaded in this process']);
      return true;
    }
    default:
      return false;
  }
}

function answer(response: ServerResponse, problems: readonly string[]): void {
  const body = JSON.stringify({ status: problems.length === 0 ? 'ok' : 'failing', problems });
  response
    .writeHead(problems.length === 0 ? 200 : 503, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    .end(body);
}
