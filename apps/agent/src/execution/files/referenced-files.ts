import { loneValue, renderText, type ReadableVariables } from '@batuta/flow';
import { StepError } from '../../step-error';
import type { ExecutionFile, ExecutionFiles } from './execution-files';

/**
 * Total bytes of the files in one message or call: templates may repeat a reference, and servers refuse more anyway.
 */
const MAX_SENT_BYTES = 25 * 1024 * 1024;
const MAX_SENT_FILES = 100;

/**
 * The files to which a template such as `{reply.FILE}` refers: one file, or several when the variable is a list. Throws StepError for
 * any text that is no reference to a file of the execution.
 */
export function referencedFiles(
  field: string,
  template: string,
  variables: ReadableVariables,
  files: ExecutionFiles,
): ExecutionFile[] {
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

/** Returns the files unchanged, or throws StepError if they are too many or too large for one message or call. */
export function checkSendable(field: string, files: ExecutionFile[]): ExecutionFile[] {
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes <= MAX_SENT_BYTES && files.length <= MAX_SENT_FILES) return files;
  throw new StepError(`${field} must be at most ${MAX_SENT_FILES} files with ${MAX_SENT_BYTES} bytes together`);
}
