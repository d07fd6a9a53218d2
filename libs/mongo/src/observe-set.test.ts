import { EventEmitter } from 'node:events';
import { electionMaxMs, observeSet } from './observe-set.ts';

/** A set whose members are of these types, in the driver's words. */
function observed(...types: readonly string[]) {
  const client = new EventEmitter();
  let responds = true;
  let nowMs = 1_000;
  const ping = () => (responds ? Promise.resolve() : Promise.reject(new Error('no response')));
  const { problem } = observeSet(client as never, ping, () => nowMs);
  const become = (...next: readonly string[]) => {
    const servers = new Map(next.map((type, at) => [`member-${at}`, { type }]));
    client.emit('topologyDescriptionChanged', { newDescription: { servers } });
  };
  become(...types);
  return {
    problem,
    become,
    advance(ms: number) {
      nowMs += ms;
    },
    hang() {
      responds = false;
    },
  };
}

test('a set whose primary crashed is electing, for as long as elections take, and then unavailable', async () => {
  const set = observed('RSPrimary', 'RSSecondary', 'RSSecondary');
  expect(await set.problem()).toBeNull();

  set.become('Unknown', 'RSSecondary', 'RSSecondary');
  set.advance(electionMaxMs - 1);
  expect(await set.problem()).toBe('electing');
  set.become('Unknown', 'RSPrimary', 'RSSecondary');
  expect(await set.problem()).toBeNull();

  set.become('Unknown', 'Unknown', 'RSSecondary');
  set.advance(electionMaxMs);
  expect(await set.problem()).toBe('unavailable');
});

test('so is one whose primary hangs and is not missed yet', async () => {
  const set = observed('RSPrimary', 'RSSecondary', 'RSSecondary');
  await set.problem();

  set.hang();
  expect(await set.problem()).toBe('electing');
  set.advance(electionMaxMs);
  expect(await set.problem()).toBe('unavailable');
});

test.each([
  ['a single server', ['Standalone']],
  ['a router', ['Mongos']],
  ['a set of one member', ['RSPrimary']],
  ['a set of which no member is reached', ['Unknown', 'Unknown', 'Unknown']],
])('%s that does not respond is unavailable at once: nobody is elected', async (_name, types) => {
  const set = observed(...types);
  await set.problem();

  set.hang();

  expect(await set.problem()).toBe('unavailable');
});

test.each([
  { without: 'no member', types: ['RSPrimary', 'RSSecondary', 'RSArbiter'], problem: null },
  {
    without: 'its secondary',
    types: ['RSPrimary', 'Unknown', 'RSArbiter'],
    problem: 'no_majority',
  },
  { without: 'its arbiter', types: ['RSPrimary', 'RSSecondary', 'Unknown'], problem: null },
])(
  'a set with an arbiter and without $without: majority writes wait where too few have data',
  async ({ types, problem }) => {
    expect(await observed(...types).problem()).toBe(problem);
  },
);
