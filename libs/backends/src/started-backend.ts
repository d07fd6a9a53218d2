import type { Environment } from './environment.ts';
import type { ManagedProcess } from './managed-process.ts';
import type { OnProgress } from './progress.ts';

/** One of the two backends, ready. */
export interface StartedBackend {
  /** `host:port` list for Kafka, connection string for MongoDB. */
  readonly address: string;
  /** For the screen: which server, which version, from where. */
  readonly origin: string;
  /** Null when it is not a native process. */
  readonly process: ManagedProcess | null;
  stop(): Promise<void>;
}

/** What starting a native server needs. */
export interface NativeStart {
  readonly dataDir: string;
  /** Whether the data are thrown away. */
  readonly isTemporary: boolean;
  readonly cacheDir: string;
  /** Null: any free port. */
  readonly port: number | null;
  readonly environment: Environment;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal | undefined;
}
