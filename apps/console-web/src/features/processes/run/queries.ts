import { answerTo, api } from '../../../api/client';
import type { RunInput } from '../../../api/generated/console-api';

/** Checks what a start with these values would do, and starts nothing. */
export const dryRun = (pid: string, body: RunInput) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/dry-run', { params: { path: { pid } }, body }));

/** Starts the published version by hand. */
export const runProcess = (pid: string, body: RunInput) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/run', { params: { path: { pid } }, body }));
