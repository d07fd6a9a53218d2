const shared = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/plain-context-environment.ts',
  testEnvironmentOptions: {
    customExportConditions: ['@inventory/source', 'require', 'node', 'default'],
  },
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/.local/', '<rootDir>/.cache/'],
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
  globalSetup: '<rootDir>/test/support/start-backends.ts',
  globalTeardown: '<rootDir>/test/support/stop-backends.ts',
};

/** Stories that have the machine to themselves: what they judge is a time of the contract. */
const timed = ['fairness', 'retry-after', 'trace'];
/** As those, because they kill processes and brokers while money and events are on their way. */
const killing = ['chaos', 'page-charges', 'stream-chaos', 'two-replicas'];
const named = (names) => names.map((name) => `<rootDir>/test/e2e/${name}.test.ts`);

module.exports = {
  testTimeout: 60_000,
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
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
      testPathIgnorePatterns: [...timed, ...killing].map((name) => `/e2e/${name}\\.test\\.ts$`),
    },
    {
      ...withBackends,
      displayName: 'end-to-end-timed',
      testMatch: named(timed),
    },
    {
      ...withBackends,
      displayName: 'end-to-end-kills',
      testMatch: named(killing),
    },
  ],
};
