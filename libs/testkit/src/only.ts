/** A whole object that has, in a test, only what the test needs of it. */
export function only<Whole>(members: Partial<NoInfer<Whole>>): Whole {
  return members as Whole;
}
