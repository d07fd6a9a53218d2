import type { Controllable } from '@inventory/backends/controllable';
import type { Launched } from './supervised-process.ts';

const pollMs = 200;

/** Brings a native Kafka or MongoDB up where it is down; one that runs is taken as it is. */
export async function launchBackend(server: Controllable): Promise<Launched> {
  if (server.pid === null) await server.start();
  const pid = server.pid;
  if (pid === null) throw new Error('ended as soon as it answered');
  return {
    pid,
    answered: Promise.resolve(),
    ended: untilGone(server, pid),
    // That it outlived the signal is seen by whoever waits for its end.
    signal: (signal) => void server.kill(signal).catch(() => {}),
    end: (abruptly) => (abruptly ? server.kill('SIGKILL') : server.stop()),
  };
}

function untilGone(server: Controllable, pid: number): Promise<string> {
  return new Promise((resolve) => {
    const poll = setInterval(() => {
      if (server.pid === pid) return;
      clearInterval(poll);
      resolve('ended');
    }, pollMs);
  });
}
