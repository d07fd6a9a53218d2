import type { IncomingMessage, ServerResponse } from 'node:http';
import { measureReadiness, type Readiness } from '@inventory/runtime/readiness-metrics';
import { telemetry } from '@inventory/runtime/telemetry-access';

export interface HealthChecks {
  /** Why the service cannot serve requests; empty when it is ready. */
  readonly notReady: () => Promise<readonly string[]>;
  /** What works in part or not at all while other requests are served; read after `notReady`. */
  readonly degraded: () => readonly string[];
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
      respond(response, { failing: checks.notAlive(), degraded: [] });
      return true;
    case '/readyz':
      respond(response, await readinessOf(checks));
      return true;
    case '/metrics': {
      const provided = telemetry();
      if (provided) {
        measureReadiness(await readinessOf(checks));
        provided.serveMetrics(request, response);
      } else {
        const failing = ['telemetry is not loaded in this process'];
        respond(response, { failing, degraded: [] });
      }
      return true;
    }
    default:
      return false;
  }
}

async function readinessOf({ notReady, degraded }: HealthChecks): Promise<Readiness> {
  return { failing: await notReady(), degraded: degraded() };
}

/** Degraded is 200: without this service in front of them, no request would be served at all. */
function respond(response: ServerResponse, { failing, degraded }: Readiness): void {
  const problems = [...failing, ...degraded];
  const partly = degraded.length === 0 ? 'ok' : 'degraded';
  const body = JSON.stringify({ status: failing.length === 0 ? partly : 'failing', problems });
  response
    .writeHead(failing.length === 0 ? 200 : 503, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    .end(body);
}
