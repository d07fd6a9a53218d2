import type { Environment } from './environment.ts';
import type { MongodbBuild } from './mongodb-build.ts';

/** A server program on this machine that speaks the MongoDB protocol. */
export interface MongodbServer {
  readonly build: MongodbBuild;
  /** With its version, as shown to people. */
  readonly name: string;
  readonly command: string;
  /** For a store in the folder `data` of the working directory. */
  readonly args: (port: number) => readonly string[];
}

/** What finding or fetching a server program needs of its surroundings. */
export interface ServerSearch {
  readonly cacheDir: string;
  readonly environment: Environment;
  readonly onProgress: (sentence: string) => void;
  readonly signal: AbortSignal | undefined;
}
