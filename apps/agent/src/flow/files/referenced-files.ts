import { loneValue, renderText, type Variables } from '@batuta/flow';
import { StepError } from '../step-error';
import type { RunFile, RunFiles } from './run-files';

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
