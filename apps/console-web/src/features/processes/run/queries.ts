import { answerTo, api } from '../../../api/client';
import type { RunInput } from '../../../api/generated/console-api';

/** Makes the checks of a start by hand, and converts the values; starts, stores and costs nothing. Refusals are part of the answer. */
export const dryRun = (pid: string, body: RunInput) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/dry-run', { params: { path: { pid } }, body }));

/** Starts the published version by hand, which costs a credit of the owner's company. A variable that `body.matrix` lacks takes its default. */
export const runProcess = (pid: string, body: RunInput) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/run', { params: { path: { pid } }, body }));
