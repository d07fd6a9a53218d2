import { DeadlineExceeded } from '@inventory/runtime/wait';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openStagingBreaker } from './staging-breaker.ts';

const staged = { page: 0, chunks: [] };
const members = Buffer.from('');

function world() {
  const clock = createTestClock();
  const told: { error?: Error; reply: number } = { reply: 0 };
  const stagePage = async () => {
    told.reply += 1;
    if (told.error) throw told.error;
    return staged;
  };
  const rested = openStagingBreaker({ stagePage }, clock);
  return { clock, told, stage: () => rested.stagePage('chain', 0, members) };
}

describe('Staging beside a charge', () => {
  it('is not even tried for five seconds after it took too long', async () => {
    const { clock, told, stage } = world();
    told.error = new DeadlineExceeded('staging a page');
    await expect(stage()).rejects.toThrow(DeadlineExceeded);
    delete told.error;

    clock.advance(4_999);
    await expect(stage()).rejects.toThrow('too slow');
    expect(told.reply).toBe(1);
    clock.advance(1);

    expect(await stage()).toBe(staged);
  });

  it('is tried again at once after a failure that cost no time', async () => {
    const { told, stage } = world();
    told.error = new Error('409');
    await expect(stage()).rejects.toThrow('409');
    delete told.error;

    expect(await stage()).toBe(staged);
  });
});
