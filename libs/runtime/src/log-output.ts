import { SonicBoom } from 'sonic-boom';

export interface LogOutput {
  write(line: string): void;
  /** Lines dropped since it was opened. */
  readonly dropped: number;
  /** Called with the lines dropped since the last call, once everything that waited is written. */
  onRecovery: (dropped: number) => void;
}

const waitingBytesMax = 1024 * 1024;
/** A slow reader makes space within moments. */
const quickRetryMs = 20;
const quickRetriesMax = 50;
/** These do not keep the process from its end. */
const retryMs = 1_000;

/**
 * Writes lines in the background: a full disk or an unread pipe costs log lines and nothing else.
 * What cannot be written waits and is tried again; past a bound, further lines are dropped.
 *
 * Not a destination of pino: the synchronous flush of those, at exit and by `fatal`, repeats a write
 * for which there is no space until there is some.
 */
export function openLogOutput(fd: number): LogOutput {
  const stream = new SonicBoom({
    fd,
    // Of 0, `flush` does nothing.
    minLength: 1,
    maxLength: waitingBytesMax,
    retryEAGAIN: () => false,
  });
  let dropped = 0;
  let reported = 0;
  let retries = 0;
  let retry: NodeJS.Timeout | undefined;

  stream.on('drop', () => {
    dropped += 1;
  });
  stream.on('error', () => {
    if (retry) return;
    retries += 1;
    const isQuick = retries <= quickRetriesMax;
    retry = setTimeout(
      () => {
        retry = undefined;
        stream.flush();
      },
      isQuick ? quickRetryMs : retryMs,
    );
    if (!isQuick) retry.unref();
  });
  stream.on('drain', () => {
    retries = 0;
    if (dropped === reported) return;
    const lines = dropped - reported;
    reported = dropped;
    output.onRecovery(lines);
  });
  const output: LogOutput = {
    write: (line) => void stream.write(line),
    onRecovery: () => {},
    get dropped() {
      return dropped;
    },
  };
  return output;
}
