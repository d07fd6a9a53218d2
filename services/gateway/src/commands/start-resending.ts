import type { MessageType } from '@inventory/contracts/messages';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { GatewayConfig } from '../config.ts';
import type { PendingCommand } from './pending-command.domain.ts';
import type { RequestReplyClient } from './request-reply-client.ts';
import { type PendingCommands, resendPendingCommands } from './resend-pending-commands.ts';

const sweepEveryMs = 1_000;

/** Starts to re-send the due commands of all replicas; the result makes it look at once. */
export function startResending<Command extends PendingCommand, Reply extends MessageType>(
  { config, lifetime, clock, identifiers, logger }: ServiceContext<GatewayConfig>,
  name: string,
  commands: RequestReplyClient,
  pending: PendingCommands<Command, Reply>,
): () => void {
  const { deadlines } = config;
  const deps = { commands, clock, replica: identifiers.uuidV7(), deadlines };
  const job = startPeriodicJob({
    name,
    intervalMs: sweepEveryMs,
    lifetime,
    logger,
    runOnce: () => resendPendingCommands(deps, pending),
  });
  return job.wake;
}
