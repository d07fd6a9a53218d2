const shared = {
  rootDir: __dirname,
  // Projects share the cache of transformed sources.
  id: 'inventory',
  testEnvironment: '<rootDir>/test/support/worker-environment.ts',
  runtime: '<rootDir>/test/support/worker-runtime.cjs',
  testEnvironmentOptions: {
    customExportConditions: ['@inventory/source', 'require', 'node', 'default'],
  },
  // Not below TMPDIR, which is new in each run: sources are transformed once.
  cacheDirectory: '<rootDir>/.cache/jest',
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/.local/', '<rootDir>/.cache/'],
  setupFiles: ['<rootDir>/test/support/seed-properties.ts'],
  testPathIgnorePatterns: ['\\.long\\.test\\.ts$'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
};

/** Unit tests need nothing but Node; the others share one Kafka and one MongoDB per run. */
const withBackends = {
  ...shared,
  setupFiles: [...shared.setupFiles, '<rootDir>/test/support/record-queries.cjs'],
  globalSetup: '<rootDir>/test/support/start-backends.ts',
  globalTeardown: '<rootDir>/test/support/held-for-teardown.ts',
};

module.exports = {
  // Ends a test that hangs. No verdict depends on it: a slow machine takes less.
  testTimeout: 600_000,
  // Jest keeps some memory of each file in its worker. Beyond this a worker is replaced: garbage
  // collections over it took a tenth of the CPU of unit tests, and most of that of late files.
  workerIdleMemoryLimit: '400MB',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{libs,services,deploy,test}/*/src/**/*.test.ts'],
    },
    {
      ...shared,
      displayName: 'house',
      testMatch: ['<rootDir>/test/{tidy,contract,deploy}/**/*.test.ts'],
    },
    {
      ...withBackends,
      displayName: 'integration',
      testMatch: ['<rootDir>/{libs,services,deploy,test}/*/test/**/*.test.ts'],
    },
    {
      ...withBackends,
      displayName: 'end-to-end',
      globalSetup: '<rootDir>/test/support/start-shared-stack.ts',
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
    },
    {
      ...shared,
      displayName: 'query plans',
      testMatch: ['<rootDir>/test/plans/**/*.test.ts'],
    },
    {
      ...withBackends,
      displayName: 'long',
      testMatch: ['<rootDir>/{libs,services,deploy,test}/**/*.long.test.ts'],
      testPathIgnorePatterns: ['/node_modules/'],
    },
  ],
};
