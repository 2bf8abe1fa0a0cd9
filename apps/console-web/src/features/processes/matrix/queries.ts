import { queryOptions } from '@tanstack/react-query';
import { answerTo, api, ifMatch, taggedAnswerTo } from '../../../api/client';
import type { VariableInput } from '../../../api/generated/console-api';

export const matrixQuery = (pid: string) =>
  queryOptions({ queryKey: ['processes', 'matrix', pid], queryFn: async () => (await readMatrix(pid)).matrix });

export const readMatrix = async (pid: string) => {
  const call = api.GET('/manage/v1/processes/{pid}/matrix', { params: { path: { pid } } });
  const { answer, tag } = await taggedAnswerTo(call);
  return { matrix: answer.matrix, tag };
};

/** `tag`: the entity tag of the stored Matrix that this one replaces. */
export const replaceMatrix = async (pid: string, matrix: VariableInput[], tag: string | undefined) => {
  const params = { path: { pid }, ...ifMatch(tag) };
  return (await answerTo(api.PUT('/manage/v1/processes/{pid}/matrix', { params, body: { matrix } }))).matrix;
};
