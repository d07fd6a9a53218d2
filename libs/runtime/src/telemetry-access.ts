import type { IncomingMessage, ServerResponse } from 'node:http';

/** What the preloaded telemetry offers to the service that runs under it. */
export interface Telemetry {
  /** Writes the metrics of this process in the Prometheus text format. */
  serveMetrics(request: IncomingMessage, response: ServerResponse): void;
  /** Sends what is buffered and ends; called last when a service stops. */
  flush(): Promise<void>;
}

let provided: Telemetry | undefined;

export function provideTelemetry(telemetry: Telemetry): void {
  provided = telemetry;
}

/** The preloaded telemetry, or undefined where a process was started without it. */
export function telemetry(): Telemetry | undefined {
  return provided;
}
