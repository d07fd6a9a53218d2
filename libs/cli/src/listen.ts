import { createHash } from 'node:crypto';
import { UsageFault } from './cli-process.ts';
import { eventLine } from './events.ts';
import { follow } from './follow.ts';
import { type Attempt, forwardEvent, readForwarding } from './forward-event.ts';
import { type CallFlags, projectOf, type Session } from './session.ts';
import { readStateFile, userFile, writeStateFile } from './state-file.ts';

export interface ListenFlags extends CallFlags {
  readonly forwardTo: string;
  readonly from?: string;
}

/**
 * Forwards each event of the Project to the receiver. The position is stored once the receiver has
 * accepted everything up to it, so that no end of this program skips an event.
 */
export async function listen(session: Session, options: ListenFlags): Promise<void> {
  const { cli, printer, baseUrl } = session;
  const forwarding = { ...readForwarding(cli, options.forwardTo), onAttempt };
  const projectId = await projectOf(session);
  // Each Project has its own position for each receiver.
  const owner = `${baseUrl}\n${projectId}\n${options.forwardTo}`;
  const name = createHash('sha256').update(owner).digest('hex').slice(0, 16);
  const path = userFile(cli, 'state', `listen-${name}.json`);
  const from = options.from ?? storedCursor(path);
  const isSigned = forwarding.secret !== undefined;
  const start = { forward_to: options.forwardTo, signed: isSigned, from: from ?? 'now' };
  printer.note(
    `${projectId} to ${start.forward_to}, ${isSigned ? '' : 'not '}signed, from ${start.from}; position in ${path}`,
    { project_id: projectId, ...start, position_in: path },
  );

  async function onAttempt({ event, attempt, answer, retryInMs }: Attempt): Promise<void> {
    const again = retryInMs === null ? '' : `, again in ${retryInMs / 1_000} s`;
    const record = {
      event_id: event.id,
      type: event.type,
      attempt,
      answer,
      retry_in_ms: retryInMs,
    };
    await printer.result(record, `${eventLine(event)}  ${answer}${again}`);
  }

  await follow(session, {
    projectId,
    from,
    apply: (event) => forwardEvent(cli, forwarding, event),
    onProgress: (cursor) => writeStateFile(path, { cursor }),
  });
}

function storedCursor(path: string): string | null {
  const { cursor } = readStateFile(path) ?? { cursor: null };
  if (cursor === null || typeof cursor === 'string') return cursor;
  throw new UsageFault(`${path} has no cursor: delete it, or give --from`);
}
