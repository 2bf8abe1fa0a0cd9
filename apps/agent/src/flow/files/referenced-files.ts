import { loneValue, renderText, type Variables } from '@batuta/flow';
import { StepError } from '../step-error';
import type { RunFile, RunFiles } from './run-files';

/** Files of one message or call: a reference may be repeated, and servers take no more anyway. */
const MAX_SENT_BYTES = 25 * 1024 * 1024;
const MAX_SENT_FILES = 100;

/** The files that a template such as `{reply.FILE}` refers to: one, or those of a variable that is a list. */
export function referencedFiles(field: string, template: string, variables: Variables, files: RunFiles): RunFile[] {
  const lone = loneValue(template, variables);
  const references: unknown[] = Array.isArray(lone?.value) ? lone.value : [renderText(template, variables, 'machine')];
  return references.map((reference) => {
    const file = typeof reference === 'string' ? files.find(reference) : undefined;
    if (!file)
      throw new StepError(
        `${field}: ${template} is no file of this execution; write {name.FILE} of a step that gives one`,
      );
    return file;
  });
}

/** The same files if one message or call may carry them; else throws StepError. */
export function sendable(field: string, files: RunFile[]): RunFile[] {
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes <= MAX_SENT_BYTES && files.length <= MAX_SENT_FILES) return files;
  throw new StepError(`${field} must be at most ${MAX_SENT_FILES} files with ${MAX_SENT_BYTES} bytes together`);
}
