import { type BuildFacts, buildOrder } from './mongodb-build.ts';

const bareMachine: BuildFacts = {
  asked: null,
  madeBy: null,
  mongodInstalled: false,
  cargoBuildCached: false,
};

test('a bare machine takes the wheel, then builds from source, then the Python server', () => {
  expect(buildOrder(bareMachine)).toEqual(['wheel', 'cargo', 'python']);
});

test('a cargo build that is there already comes before the wheel', () => {
  expect(buildOrder({ ...bareMachine, cargoBuildCached: true })).toEqual([
    'cargo',
    'wheel',
    'python',
  ]);
});

test('an installed mongod comes before everything', () => {
  const order = buildOrder({ ...bareMachine, mongodInstalled: true, cargoBuildCached: true });

  expect(order[0]).toBe('mongod');
});

test('a build that was asked for is the only one tried', () => {
  expect(buildOrder({ ...bareMachine, mongodInstalled: true, asked: 'python' })).toEqual([
    'python',
  ]);
});

test('data are opened only by the build that wrote them', () => {
  const order = buildOrder({ ...bareMachine, cargoBuildCached: true, madeBy: 'wheel' });

  expect(order).toEqual(['wheel']);
});
