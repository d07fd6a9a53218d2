/** Which module may import which; the reasons are in docs/contributors/style.md. */
const service = '^services/([^/]+)/src';
/** Kinds of modules: by name in a service cut by feature, by folder in one cut by kind. */
const domain = ['^services/[^/]+/src/domain/', '\\.domain\\.ts$'];
const stores = [
  '^services/[^/]+/src/storage/',
  '-(store|documents?|mapping|relay)\\.ts$',
  '/collections\\.ts$',
];
const entries = ['^services/.*/on-[a-z-]+\\.ts$', '-routes?\\.ts$'];
const edges = [...entries, '^services/[^/]+/src/(http|operator)/'];
const wiring = ['/(open|start)-[a-z-]+\\.ts$', '/(main|config)\\.ts$'];
const tests = '(\\.test\\.ts$|/test/|^test/)';

/** The rooms of the revision-store, each with those that it may not import. */
const roomsOfTheStore = [
  ['(domain|storage)', 'reads|exports|changes|scans|pruning|http'],
  ['reads', 'exports|changes|scans|pruning|http'],
  ['exports', 'changes|scans|pruning|http'],
  ['changes', 'exports|scans|pruning|http'],
  ['scans', 'exports|pruning|http'],
  ['pruning', 'exports|changes|http'],
].map(([room, others]) => ({
  name: 'rooms-of-the-store-have-one-direction',
  comment: 'Pruning uses scans, they use changes; these and exports use reads.',
  severity: 'error',
  from: { path: `^services/revision-store/src/${room}/`, pathNot: tests },
  to: { path: `^services/revision-store/src/(${others})/` },
}));

/** The rooms of the collector from the ground up, each with those below it that it uses. */
const roomsOfTheCollector = {
  platform: [],
  egress: ['platform'],
  saga: [],
  observations: ['saga'],
  survey: ['egress', 'saga'],
  plan: ['egress', 'saga', 'survey'],
  admission: ['observations', 'plan', 'saga'],
  reads: ['plan', 'saga'],
  status: ['admission', 'egress', 'plan', 'saga'],
  jobs: ['saga'],
  scans: ['egress', 'plan', 'platform', 'saga'],
  planning: ['egress', 'observations', 'plan', 'saga', 'scans'],
  'live-pages': ['egress', 'platform'],
};
const roomsHaveOneDirection = Object.entries(roomsOfTheCollector).map(([room, used]) => ({
  name: 'modules-have-one-direction',
  comment: 'A room of the collector uses those below it that it names, and no others.',
  severity: 'error',
  from: { path: `^services/refresh-collector/src/${room}/`, pathNot: tests },
  to: {
    path: `^services/refresh-collector/src/[^/]+/`,
    pathNot: `^services/refresh-collector/src/(${[room, ...used].join('|')})/`,
  },
}));

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
      comment:
        'Rules of the product depend on nothing but each other, the vocabulary, and the nouns of the contracts.',
      severity: 'error',
      from: { path: domain, pathNot: [tests, '^services/revision-store/src/domain/sha256\\.ts$'] },
      to: {
        pathNot: [
          ...domain,
          '^libs/contracts/src/(ids|environment|vocabulary|inventory-key|languages|refusal|staged-rows)\\.ts$',
          '^libs/contracts/src/(http/(watches|webhooks)\\.ts$|messages/)',
          '^node_modules/zod/',
          '^libs/contracts/src/http/(credentials|tenancy)\\.ts$',
          '^libs/runtime/src/(csv|json)-text\\.ts$',
          '^node_modules/ipaddr\\.js/',
        ],
      },
    },
    {
      name: 'stores-decide-nothing',
      comment: 'A store reads and writes documents; it knows the domain, times and other stores.',
      severity: 'error',
      from: { path: stores, pathNot: [tests, ...wiring] },
      to: { path: service, pathNot: [...domain, ...stores, '/(deadlines|work)\\.ts$'] },
    },
    {
      name: 'one-door-to-mongodb',
      severity: 'error',
      from: { path: service, pathNot: [tests, ...stores, ...wiring] },
      to: { path: '^node_modules/mongodb/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'koa-at-the-edge',
      severity: 'error',
      from: { path: service, pathNot: [tests, ...edges, ...wiring] },
      to: { path: '^node_modules/(koa|@koa)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'edges-are-opened-by-wiring',
      comment: 'Routes and consumers call operations, never the other way.',
      severity: 'error',
      from: { path: service, pathNot: [tests, ...edges, ...wiring] },
      to: { path: entries },
    },
    {
      name: 'the-frame-knows-no-feature',
      comment: 'HTTP of the gateway is one frame for all features; it knows who calls, no more.',
      severity: 'error',
      from: { path: '^services/gateway/src/http/', pathNot: tests },
      to: { path: '^services/gateway/src/(?!http/|tenancy/|metrics\\.ts)' },
    },
    {
      name: 'rooms-of-the-frame-have-one-direction',
      comment: 'What is answered knows neither what limits nor what delivers it.',
      severity: 'error',
      from: {
        path: '^services/gateway/src/http/(v1/|openapi/|answer|public-route|request-state|render-errors)',
        pathNot: tests,
      },
      to: { path: '^services/gateway/src/http/(limits|delivery)/' },
    },
    {
      name: 'tenancy-knows-no-http',
      severity: 'error',
      from: { path: '^services/gateway/src/tenancy/', pathNot: tests },
      to: { path: '^services/gateway/src/http/' },
    },
    {
      name: 'rooms-know-no-root',
      comment:
        'The root of a service composes its rooms; they know its pending work and its metrics.',
      severity: 'error',
      from: { path: '^services/gateway/src/[^/]+/', pathNot: tests },
      to: { path: '^services/gateway/src/[^/]+\\.ts$', pathNot: '/(work|metrics)\\.ts$' },
    },
    ...roomsHaveOneDirection,
    ...roomsOfTheStore,
    {
      name: 'the-log-knows-no-webhooks',
      severity: 'error',
      from: { path: '^services/event-stream/src/log/', pathNot: tests },
      to: { path: '^services/event-stream/src/webhooks/' },
    },
    {
      name: 'long-tests-share-no-stack',
      comment: 'The run of a long test starts no shared stack; it opens one of its own.',
      severity: 'error',
      from: { path: '\\.long\\.test\\.ts$' },
      to: { path: '^test/e2e/support/shared-stack\\.ts$', dependencyTypesNot: ['type-only'] },
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
      name: 'the-bus-knows-no-client-of-kafka',
      comment: 'Another client replaces one folder; tools of the deployment use this one.',
      severity: 'error',
      from: {
        path: '^libs/messaging/src/',
        pathNot: [
          tests,
          '^libs/messaging/src/kafka/kafkajs/',
          '^libs/messaging/src/kafka/(topic-admin|access-admin|await-consumed|compare-topics|rewind-consumers)\\.ts$',
        ],
      },
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
    // A story imports what a generator writes beside its copy.
    exclude: {
      path: '^(libs|services|deploy|test)/[^/]+/dist/|^test/e2e/support/generated-clients/',
    },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@inventory/source', 'require', 'node', 'default', 'types'],
    },
  },
};
