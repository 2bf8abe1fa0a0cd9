import { renderBody, renderText, type RestStep, type ReadableVariables } from '@batuta/flow';
import { referencedFiles, checkSendable } from '../../execution/files/referenced-files';
import type { ExecutionFile, ExecutionFiles } from '../../execution/files/execution-files';
import { StepError } from '../../step-error';

/**
 * The body that a call sends. `contentType` is undefined when the body itself determines its type, as a multipart form
 * does with its boundary.
 */
export interface RequestBody {
  body: string | Blob | FormData;
  contentType?: string;
}

type RestForm = NonNullable<RestStep['form']>;

/** The body of a call: the `body`, `form` or `file` of the step; undefined without one, or for an empty `body`. Throws StepError. */
export function requestBodyOf(
  step: RestStep,
  variables: ReadableVariables,
  files: ExecutionFiles,
): RequestBody | undefined {
  if (step.form) return formBody(step.form, variables, files);
  if (step.file !== undefined) {
    const file = oneFile('file', step.file, variables, files);
    return { body: blobOf(file), contentType: file.contentType };
  }
  const body = step.body === undefined || step.body === null ? '' : renderBody(step.body, variables);
  return body === '' ? undefined : { body, contentType: contentTypeOf(step, body) };
}

function formBody(
  { encoding, fields = {}, files = {} }: RestForm,
  variables: ReadableVariables,
  known: ExecutionFiles,
): RequestBody {
  const values = Object.entries(fields).map(([name, text]) => [name, renderText(text, variables, 'machine')] as const);
  const attached = Object.entries(files);
  if (encoding === 'urlencoded' || (encoding === undefined && attached.length === 0)) {
    if (attached.length > 0) throw new StepError('form: an urlencoded form cannot have files');
    return {
      body: new URLSearchParams(Object.fromEntries(values)).toString(),
      contentType: 'application/x-www-form-urlencoded',
    };
  }
  const sent = attached.flatMap(([name, template]) =>
    referencedFiles(`form: ${name}`, template, variables, known).map((file) => ({ name, file })),
  );
  checkSendable(
    'form: files',
    sent.map(({ file }) => file),
  );
  const form = new FormData();
  for (const [name, value] of values) form.append(name, value);
  for (const { name, file } of sent) form.append(name, blobOf(file), file.name);
  return { body: form };
}

function oneFile(field: string, template: string, variables: ReadableVariables, files: ExecutionFiles): ExecutionFile {
  const [file, ...others] = referencedFiles(field, template, variables, files);
  if (!file || others.length > 0) throw new StepError(`${field} must be one file`);
  return file;
}

function blobOf({ bytes, contentType }: ExecutionFile): Blob {
  return new Blob([new Uint8Array(bytes)], { type: contentType });
}

function contentTypeOf(step: RestStep, body: string): string {
  if (typeof step.body !== 'string') return 'application/json';
  try {
    JSON.parse(body);
    return 'application/json';
  } catch {
    return 'text/plain; charset=utf-8';
  }
}
