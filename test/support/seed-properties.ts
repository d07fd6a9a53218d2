/** TEST_SEED, where it is set, seeds every property; else each draws a seed and prints it. */
const seed = process.env['TEST_SEED'];
if (seed !== undefined) {
  const { configureGlobal } = jest.requireActual<typeof import('fast-check')>('fast-check');
  configureGlobal({ seed: Number(seed) });
}
