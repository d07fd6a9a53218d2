import { operatorDocument } from '../../services/gateway/src/operator/describe-operator-api.ts';
import { operatorRoutes } from '../../services/gateway/src/operator/operator-routes.ts';
import { responseContract } from './response-contract.ts';

/** Throws when an answer of the operator API differs from its document. */
export const expectOperatorDocumented = responseContract(operatorDocument(operatorRoutes));
