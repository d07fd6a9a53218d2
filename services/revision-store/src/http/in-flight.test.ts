import { EventEmitter } from 'node:events';
import { limitInFlight } from './in-flight.ts';

/** As much of a Koa context as the middleware touches. */
function request() {
  const res = Object.assign(new EventEmitter(), { destroyed: false });
  return { res } as never as Parameters<ReturnType<typeof limitInFlight>>[0] & {
    res: typeof res;
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Requests in flight', () => {
  it('wait for one another past the limit, until an answer has left', async () => {
    const limit = limitInFlight(1);
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

  it('do not count when their connection was gone before their turn', async () => {
    const limit = limitInFlight(1);
    const served: string[] = [];
    const [first, gone, third] = [request(), request(), request()];

    await limit(first, async () => void served.push('first'));
    const waitingGone = limit(gone, async () => void served.push('gone'));
    const waitingThird = limit(third, async () => void served.push('third'));
    gone.res.destroyed = true;
    first.res.emit('close');
    await Promise.all([waitingGone, waitingThird]);

    expect(served).toEqual(['first', 'third']);
  });
});
