import { openLifetime } from './lifetime.ts';
import { createLogger } from './logger.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

test('resources are closed in reverse order, once', async () => {
  const lifetime = openLifetime(logger, 1_000);
  const closed: string[] = [];
  for (const name of ['store', 'bus', 'server']) {
    lifetime.defer(name, async () => {
      await Promise.resolve();
      closed.push(name);
    });
  }

  await Promise.all([lifetime.close(), lifetime.close()]);
  await lifetime.close();

  expect(closed).toEqual(['server', 'bus', 'store']);
});

test('the signal is aborted before anything is closed', async () => {
  const lifetime = openLifetime(logger, 1_000);
  let abortedBefore = false;
  lifetime.defer('job', () => {
    abortedBefore = lifetime.signal.aborted;
  });
  expect(lifetime.signal.aborted).toBe(false);

  await lifetime.close();

  expect(abortedBefore).toBe(true);
});

test('a close that fails or hangs does not keep other resources open', async () => {
  const lines: string[] = [];
  const logger = createLogger({
    service: 'test',
    level: 'warn',
    destination: { write: (line) => lines.push(line) },
  });
  const lifetime = openLifetime(logger, 20);
  const closed: string[] = [];
  lifetime.defer('store', () => void closed.push('store'));
  lifetime.defer('throwing', () => {
    throw new Error('at once');
  });
  lifetime.defer('rejecting', () => Promise.reject(new Error('later')));
  lifetime.defer('hanging', () => new Promise(() => {}));
  lifetime.defer('server', () => void closed.push('server'));

  await lifetime.close();

  expect(closed).toEqual(['server', 'store']);
  expect(lines.map((line) => JSON.parse(line).closing)).toEqual([
    'hanging',
    'rejecting',
    'throwing',
  ]);
});

test('a resource opened during or after the stop is closed too', async () => {
  const lifetime = openLifetime(logger, 1_000);
  const closed: string[] = [];
  lifetime.defer('opener', () => lifetime.defer('during', () => void closed.push('during')));

  await lifetime.close();
  lifetime.defer('after', () => void closed.push('after'));
  await lifetime.close();

  expect(closed).toEqual(['during', 'after']);
});
