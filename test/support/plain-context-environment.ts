import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's Node environment with an ordinary global object. In Jest's own, each use of a global name
 * (`Math`, `JSON`, `Buffer`) passes an interceptor, and tests run at a third to a half of the speed.
 */
// biome-ignore lint/style/noDefaultExport: Jest takes an environment as default export.
export default class PlainContextEnvironment extends TestEnvironment {
  constructor(...options: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    Object.assign(vm, { createContext: () => createContext(vm.constants.DONT_CONTEXTIFY) });
    try {
      super(...options);
    } finally {
      Object.assign(vm, { createContext });
    }
  }
}
