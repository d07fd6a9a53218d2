import type { IncomingMessage, ServerResponse } from 'node:http';

/** The preloaded telemetry of a process. */
export interface Telemetry {
  /** Writes the metrics of this process in the Prometheus text format. */
  serveMetrics(request: IncomingMessage, response: ServerResponse): void;
  /** Sends buffered data and shuts down; called last when a service stops. */
  flush(): Promise<void>;
}

let provided: Telemetry | undefined;

export function provideTelemetry(telemetry: Telemetry): void {
  provided = telemetry;
}

/** The preloaded telemetry; undefined where the process runs without it. */
export function telemetry(): Telemetry | undefined {
  return provided;
}
