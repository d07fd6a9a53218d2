import type { Controllable } from './controllable.ts';

/** One of the two backends, answering. */
export interface StartedBackend {
  /** `host:port` list for Kafka, connection string for MongoDB. */
  readonly address: string;
  /** In words for people: which server, which version, from where. */
  readonly origin: string;
  /** Null when it is not ours to take down. */
  readonly control: Controllable | null;
  stop(): Promise<void>;
}

/** What starting a native server needs of its surroundings. */
export interface NativeStart {
  readonly dataFolder: string;
  readonly temporary: boolean;
  readonly cacheDir: string;
  /** Null: any free port. */
  readonly port: number | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onProgress: (sentence: string) => void;
  readonly signal: AbortSignal | undefined;
}
