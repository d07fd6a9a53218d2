import type { ManagedProcessOptions } from './managed-process.ts';

/** A server program on this machine that speaks the MongoDB protocol. */
export interface MongodbServer extends Pick<ManagedProcessOptions, 'command'> {
  /** With its version, for the screen. */
  readonly title: string;
  /** Subdirectory of its data: each program keeps its own format. */
  readonly storage: string;
  readonly args: (port: number) => readonly string[];
  /** Whether it must be made the primary of a replica set of one. */
  readonly isReplicaSet: boolean;
}
