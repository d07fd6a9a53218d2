import { DeadlineExceeded } from '@inventory/runtime/wait';
import { newScope } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openStagingBreaker } from './staging-client.ts';

const staged = { page: 0, epoch: 1, chunks: [] };
const inventoryEpoch = '76561198000000000/730/2/0';
const position = { scanId: 'chain', page: 0, inventoryEpoch };
const members = [Buffer.from('')];

function world() {
  const clock = createTestClock();
  const store: { error?: Error; reply: number } = { reply: 0 };
  const stagePage = async () => {
    store.reply += 1;
    if (store.error) throw store.error;
    return staged;
  };
  const guarded = openStagingBreaker({ stagePage, readEpoch: async () => inventoryEpoch }, clock);
  return { clock, store, guarded, stage: () => guarded.stagePage(position, members) };
}

describe('Staging beside a charge', () => {
  it('is not even tried for five seconds after it took too long', async () => {
    const { clock, store, guarded, stage } = world();
    store.error = new DeadlineExceeded('staging a page');
    await expect(stage()).rejects.toThrow(DeadlineExceeded);
    delete store.error;

    clock.advance(4_999);
    await expect(stage()).rejects.toThrow('too slow');
    await expect(guarded.readEpoch(newScope())).rejects.toThrow('too slow');
    expect(store.reply).toBe(1);
    clock.advance(1);

    expect(await stage()).toBe(staged);
  });

  it('is tried again at once after a failure that cost no time', async () => {
    const { store, stage } = world();
    store.error = new Error('409');
    await expect(stage()).rejects.toThrow('409');
    delete store.error;

    expect(await stage()).toBe(staged);
  });
});
