import { queryOptions } from '@tanstack/react-query';
import { answerTo, api, ifMatch, taggedAnswerTo } from '../../../api/client';
import type { VariableInput } from '../../../api/generated/console-api';

/** The variables of the stored Matrix in their order. */
export const matrixQuery = (pid: string) =>
  queryOptions({ queryKey: ['processes', 'matrix', pid], queryFn: async () => (await readMatrix(pid)).matrix });

/** Reads the stored Matrix and its entity tag, past the cache. */
export const readMatrix = async (pid: string) => {
  const call = api.GET('/manage/v1/processes/{pid}/matrix', { params: { path: { pid } } });
  const { answer, tag } = await taggedAnswerTo(call);
  return { matrix: answer.matrix, tag };
};

/**
 * Replaces the whole Matrix, at once also for the published version. `tag` = the entity tag of the stored Matrix that this one replaces. Rejects with
 * a `CallError` that `isOutdated` if another one is stored.
 */
export const replaceMatrix = async (pid: string, matrix: VariableInput[], tag: string | undefined) => {
  const params = { path: { pid }, ...ifMatch(tag) };
  return (await answerTo(api.PUT('/manage/v1/processes/{pid}/matrix', { params, body: { matrix } }))).matrix;
};
