import type { Connector } from '../connector';
import { answerError, callRest, restRequestOf } from './rest-step';

export const restConnector: Connector<'rest'> = {
  async run(step, { scope, state, journal, effects, work }) {
    const idempotencyKey = `${work.instanceID}:${state.execSteps}`;
    const request = restRequestOf(step, scope.fieldView(), { requestID: work.requestID, idempotencyKey });
    const begunAt = effects.now();
    const result = await callRest(step, request, effects, journal);
    if (step.as !== undefined) scope.setAutomatic(step.as, result, 'open');
    if (result.status >= 400) throw answerError(request, result);
    const took = effects.now() - begunAt;
    await journal.info(`${request.method} ${request.url} answered ${result.status} in ${took} ms`);
  },
};
