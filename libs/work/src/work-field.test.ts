import { pendingIn, workIndex } from './work-field.ts';

it('What is pending in some queues is found by the index, whose first field is the queue (architecture: everything is bounded)', () => {
  const { keys, options } = workIndex;
  const filter = pendingIn(['small', 'large']);

  expect(Object.keys(filter)).toEqual(Object.keys(keys));
  expect(filter).toMatchObject(options.partialFilterExpression);
});
