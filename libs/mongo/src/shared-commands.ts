/**
 * Settings of a batcher whose batches are commands to the store: operations that come together share
 * one. Two at a time: one that hangs does not delay the others, and more would make them smaller.
 */
export const sharedCommands = {
  flushesMax: 2,
  /** Operations of a replica that wait; each belongs to a connection or to a message. */
  waitingMax: 100_000,
} as const;
