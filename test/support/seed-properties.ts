/** Seeds every property with TEST_SEED; without it fast-check draws a seed and prints it. */
const seed = process.env['TEST_SEED'];
if (seed !== undefined) {
  const { configureGlobal } = jest.requireActual<typeof import('fast-check')>('fast-check');
  configureGlobal({ seed: Number(seed) });
}
