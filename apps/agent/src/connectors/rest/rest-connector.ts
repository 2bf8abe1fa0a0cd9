import type { ExecutionFile } from '../../execution/files/execution-files';
import type { Connector } from '../connector';
import { answerError, callRest, restRequestOf } from './rest-step';

export const restConnector: Connector<'rest'> = {
  async run(step, execution) {
    const { scope, state, journal, effects, work } = execution;
    const idempotencyKey = `${work.instanceID}:${state.execSteps}`;
    const conditions = { requestID: work.requestID, idempotencyKey, hostAccess: effects.hostAccess };
    const request = restRequestOf(step, scope, conditions);
    const begunAt = effects.monotonicNow();
    const { result, file, withheldHeaders } = await callRest(step, request, execution);
    if (withheldHeaders.length > 0) {
      await journal.warning(`was redirected to another origin, which did not get ${withheldHeaders.join(', ')}`);
    }
    if (step.as !== undefined) scope.setAutomatic(step.as, result, 'open', file);
    if (result.status >= 400) throw answerError(request, result);
    const took = effects.monotonicNow() - begunAt;
    await journal.info(`${request.name} answered ${result.status}${fileNote(file)} in ${took} ms`);
  },
};

function fileNote(file: ExecutionFile | undefined): string {
  return file ? ` with the file ${file.name} (${file.bytes.length} bytes)` : '';
}
