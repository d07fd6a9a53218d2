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

test('data are opened only by the build that wrote them', () => {
  const order = buildOrder({ ...bareMachine, cargoBuildCached: true, madeBy: 'wheel' });

  expect(order).toEqual(['wheel']);
});
