/** Who may import whom; the reasons are in docs/style.md. */
const service = '^services/([^/]+)/src';
const tests = '(\\.test\\.ts$|/test/|^test/)';

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'domain-is-pure',
      comment: 'Rules of the product depend on nothing but each other and the vocabulary.',
      severity: 'error',
      from: { path: `${service}/domain/`, pathNot: tests },
      to: {
        pathNot: [
          `${service}/domain/`,
          '^libs/contracts/src/(ids|vocabulary|scope|languages)\\.ts$',
          '^node_modules/ipaddr\\.js/',
        ],
      },
    },
    {
      name: 'operations-know-no-edge',
      severity: 'error',
      from: { path: `${service}/operations/`, pathNot: tests },
      to: { path: [`${service}/(http|consumers)/`, '^node_modules/(koa|@koa|mongodb|kafkajs)/'] },
    },
    {
      name: 'storage-decides-nothing',
      severity: 'error',
      from: { path: `${service}/storage/`, pathNot: tests },
      to: { path: [`${service}/(http|consumers|operations|clients)/`] },
    },
    {
      name: 'edges-are-thin',
      severity: 'error',
      from: { path: `${service}/(http|consumers)/`, pathNot: tests },
      to: { path: '^node_modules/(mongodb|kafkajs)/' },
    },
    {
      name: 'services-are-apart',
      severity: 'error',
      from: { path: service, pathNot: tests },
      to: { path: '^services/([^/]+)/', pathNot: '^services/$1/' },
    },
    {
      name: 'libraries-know-no-service',
      severity: 'error',
      from: { path: '^libs/', pathNot: tests },
      to: { path: '^(services|deploy|test)/' },
    },
    {
      name: 'one-door-to-kafka',
      comment: 'The client is frozen and full of edges: one adapter holds every work-around.',
      severity: 'error',
      from: { pathNot: ['^libs/messaging/', '^libs/backends/test/', '^test/bench/'] },
      to: { path: '^node_modules/kafkajs/' },
    },
    {
      name: 'testkit-is-for-tests',
      severity: 'error',
      from: { pathNot: [tests, '^libs/testkit/'] },
      to: { path: '^libs/testkit/' },
    },
    {
      name: 'no-undeclared-package',
      severity: 'error',
      from: { pathNot: tests },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(libs|services|deploy|test)/[^/]+/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@inventory/source', 'require', 'node', 'default', 'types'],
    },
  },
};
