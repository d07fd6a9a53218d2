import { documentPath } from '../serve-pages.ts';

/**
 * Starts the reference in the browser. A key that is typed in stays in the memory of the page:
 * nothing is persisted, and the address configures nothing.
 */
export function referenceScript(canTry: boolean): string {
  const settings = {
    url: documentPath,
    dom_id: '#reference',
    layout: 'BaseLayout',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    persistAuthorization: false,
    // Highlighting a page of assets takes the browser half a minute.
    syntaxHighlight: { activated: false },
    queryConfigEnabled: false,
    validatorUrl: null,
    withCredentials: false,
    supportedSubmitMethods: canTry ? ['get', 'post', 'put', 'patch', 'delete'] : [],
  };
  return `'use strict';
const settings = ${JSON.stringify(settings, null, 2)};
settings.presets = [SwaggerUIBundle.presets.apis];
settings.plugins = [];
${resolveLittle}${resolveLater}${canTry ? '' : hideAuthorization}SwaggerUIBundle(settings);
`;
}

/**
 * References lead to the components alone. Beside all operations of the document each resolution takes the browser
 * a second.
 */
const resolveLittle = `const pathsOf = ({ paths }, [root, path]) => (root === 'paths' ? { [path]: paths[path] } : {});
settings.plugins.push(({ fn: { resolveSubtree } }) => ({
  fn: {
    resolveSubtree: (spec, path, options) => resolveSubtree({ ...spec, paths: pathsOf(spec, path) }, path, options),
  },
}));
`;

/** The list of operations, and an opened operation, are painted before references are resolved. */
const resolveLater = `const afterPaint = (action) => requestAnimationFrame(() => setTimeout(action));
const requestResolvedSubtree = (request) => (path) => afterPaint(() => request(path));
settings.plugins.push(() => ({ statePlugins: { spec: { wrapActions: { requestResolvedSubtree } } } }));
`;

/** Without calls the page requests no key. */
const hideAuthorization = `const nothing = () => () => null;
settings.plugins.push(() => ({ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } }));
`;
