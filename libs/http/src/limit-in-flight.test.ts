import { EventEmitter } from 'node:events';
import { limitInFlight } from './limit-in-flight.ts';

const route = { method: 'GET', template: '/pages', input: {}, inFlightMax: 1 } as const;
const unlimited = { ...route, template: '/health', inFlightMax: undefined as never };

/** The part of a Koa context that the middleware uses. */
function request(matched: object = route) {
  const res = Object.assign(new EventEmitter(), { destroyed: false });
  return { res, state: { route: matched } } as never as Parameters<
    ReturnType<typeof limitInFlight>
  >[0] & { res: typeof res };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Requests of one route', () => {
  it('wait past its limit until a response is sent', async () => {
    const limit = limitInFlight([route, unlimited]);
    const served: string[] = [];
    const [first, second] = [request(), request()];

    await limit(first, async () => void served.push('first'));
    const waiting = limit(second, async () => void served.push('second'));
    await settled();
    expect(served).toEqual(['first']);

    first.res.emit('close');
    await waiting;
    expect(served).toEqual(['first', 'second']);
  });

  it('do not count when their connection was closed before they had a slot', async () => {
    const limit = limitInFlight([route, unlimited]);
    const served: string[] = [];
    const [first, gone, third] = [request(), request(), request()];

    await limit(first, async () => void served.push('first'));
    const waitingGone = limit(gone, async () => void served.push('gone'));
    const waitingThird = limit(third, async () => void served.push('third'));
    gone.res.destroyed = true;
    gone.res.emit('close');
    // It does not wait for a slot that it would not use.
    await waitingGone;
    first.res.emit('close');
    await waitingThird;
    await limit(gone, async () => void served.push('gone before it came'));

    expect(served).toEqual(['first', 'third']);
  });

  it('do not delay those of another route', async () => {
    const limit = limitInFlight([route, unlimited]);
    const served: string[] = [];

    await limit(request(), async () => void served.push('limited'));
    await limit(request(unlimited), async () => void served.push('unlimited'));
    await limit(request(unlimited), async () => void served.push('unlimited'));

    expect(served).toEqual(['limited', 'unlimited', 'unlimited']);
  });
});
