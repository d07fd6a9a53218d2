import { runInNewContext } from 'node:vm';
import { referenceScript } from './reference-script.ts';

type Resolve = (spec: object, path: readonly string[]) => unknown;
type Request = (path: readonly string[]) => unknown;

interface Plugin {
  readonly fn?: { readonly resolveSubtree: Resolve };
  readonly statePlugins?: {
    readonly spec: {
      readonly wrapActions: { readonly requestResolvedSubtree: (request: Request) => Request };
    };
  };
}

/** What the script passes to the viewer; `paint` runs the frames that it requested. */
function started(resolveSubtree: Resolve) {
  const frames: (() => void)[] = [];
  let plugins: readonly ((system: object) => Plugin)[] = [];
  const viewer = Object.assign(
    (settings: { plugins: typeof plugins }) => ({ plugins } = settings),
    {
      presets: { apis: [] },
    },
  );
  runInNewContext(referenceScript(true), {
    SwaggerUIBundle: viewer,
    requestAnimationFrame: (frame: () => void) => frames.push(frame),
    setTimeout: (action: () => void) => action(),
  });
  const made = plugins.map((plugin) => plugin({ fn: { resolveSubtree } }));
  return { plugins: made, paint: () => frames.splice(0).map((frame) => frame()) };
}

const components = { schemas: {}, securitySchemes: {} };
const paths = { '/a': { get: { operationId: 'readA' } }, '/b': { put: { operationId: 'writeB' } } };

test.each([
  ['an operation', ['paths', '/b', 'put'], { '/b': paths['/b'] }],
  ['the security schemes', ['components', 'securitySchemes'], {}],
])('%s is resolved beside the components, and no other operation', (_name, path, kept) => {
  const requested: unknown[] = [];
  const { plugins } = started((spec) => requested.push(spec));

  plugins.find(({ fn }) => fn)?.fn?.resolveSubtree({ info: {}, paths, components }, path);

  expect(requested).toEqual([{ info: {}, paths: kept, components }]);
});

test('what the reader requested is painted before its references are resolved', () => {
  const { plugins, paint } = started(() => undefined);
  const resolved: unknown[] = [];
  const wrap = plugins.find(({ statePlugins }) => statePlugins)?.statePlugins?.spec.wrapActions;

  wrap?.requestResolvedSubtree((path) => resolved.push(path))(['paths', '/a', 'get']);
  expect(resolved).toEqual([]);
  paint();

  expect(resolved).toEqual([['paths', '/a', 'get']]);
});
