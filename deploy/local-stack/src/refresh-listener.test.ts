import { AuthorizationRevokedError } from '@inventory/client/errors';
import type { ProjectEvent } from '@inventory/client/event-records';
import type { FollowEventsOptions } from '@inventory/client/options';
import { listenForRefreshes } from './refresh-listener.ts';

function event(refreshId: string, type = 'inventory.refresh.completed'): ProjectEvent {
  return { id: `evt_${refreshId}`, type, data: { refresh_id: refreshId } } as ProjectEvent;
}

/** A stream that the test writes. */
function listen() {
  const ended = Promise.withResolvers<never>();
  let options: FollowEventsOptions | undefined;
  const client = {
    followEvents: (_projectId: string, given: FollowEventsOptions): Promise<never> => {
      options = given;
      given.signal?.addEventListener('abort', () => ended.reject(given.signal?.reason));
      return ended.promise;
    },
  };
  const listener = listenForRefreshes(client, 'prj_1', new AbortController().signal);
  return {
    listener,
    says: (one: ProjectEvent) => options?.onEvent(one, 'cursor'),
    opens: () => options?.onProgress?.('start'),
    fails: (error: Error) => ended.reject(error),
    signal: () => options?.signal,
  };
}

test('it is open from the first checkpoint on', async () => {
  const { listener, opens } = listen();

  await expect(listener.opened(1)).rejects.toThrow('opening the event stream');
  opens();
  await expect(listener.opened(1_000)).resolves.toBeUndefined();
});

test('an event is heard whether it comes before or after it is asked for, and only its own', async () => {
  const { listener, says } = listen();
  says(event('early'));
  says(event('other', 'account.balance.low'));

  expect(await listener.heard('early', 1_000)).toEqual({ event: event('early'), cursor: 'cursor' });
  const late = listener.heard('late', 1_000);
  says(event('late'));
  expect((await late)?.event.id).toBe('evt_late');
  expect(await listener.heard('other', 1)).toBeNull();
});

test('what ends the stream for good is told to whoever waits', async () => {
  const { listener, fails } = listen();
  const waiting = listener.heard('refresh', 1_000);

  fails(new AuthorizationRevokedError('events_disabled'));

  await expect(waiting).rejects.toThrow('events_disabled');
});

test('stopped, it reads no more', async () => {
  const { listener, signal } = listen();

  await listener.stop();

  expect(signal()?.aborted).toBe(true);
});
