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
    supportedSubmitMethods: canTry ? ['get', 'post', 'put'] : [],
  };
  return `'use strict';
const settings = ${JSON.stringify(settings, null, 2)};
settings.presets = [SwaggerUIBundle.presets.apis];
${canTry ? '' : hideAuthorization}SwaggerUIBundle(settings);
`;
}

/** Without calls the page asks for no key. */
const hideAuthorization = `const nothing = () => () => null;
settings.plugins = [() => ({ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } })];
`;
