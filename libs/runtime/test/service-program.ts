import { createLogger, droppedLogLines } from '../src/logger.ts';
import { runService } from '../src/run-service.ts';

/** A service that prints its events, with one of several faults. */
const [mood = 'obedient', stopDeadlineMs = '3000'] = process.argv.slice(2);
const say = (text: string) => process.stderr.write(`${text}\n`);
const never = () => new Promise<void>(() => {});

const logger = createLogger({ service: 'test', level: 'info' });

void runService({
  logger,
  stopDeadlineMs: Number(stopDeadlineMs),
  start: async (lifetime) => {
    // As an open handle of a client library, it keeps the process alive.
    const socket = setInterval(() => {}, 1_000);
    lifetime.defer('store', () => {
      say('store closed');
      if (mood !== 'leaky') clearInterval(socket);
    });
    lifetime.defer('consumer', async () => {
      if (mood === 'stuck') await never();
      say('consumer closed');
    });
    if (mood === 'talkative') {
      const talk = setInterval(() => {
        logger.info({ text: 'x'.repeat(100_000) }, 'talk');
        if (droppedLogLines() === 0) return;
        say(`${droppedLogLines()} lines dropped`);
        clearInterval(talk);
        throw new Error('forgotten');
      });
    }
    if (mood === 'warned') {
      process.emitWarning('too many listeners');
      setTimeout(() => process.kill(process.pid, 'SIGTERM'), 10);
    }
    if (mood === 'stillborn') throw new Error('no store');
    if (mood === 'crashing') setTimeout(() => Promise.reject(new Error('forgotten')), 10);
  },
});
