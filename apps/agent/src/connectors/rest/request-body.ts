import { renderBody, renderText, type RestStep, type Variables } from '@batuta/flow';
import { referencedFiles, sendable } from '../../flow/files/referenced-files';
import type { RunFile, RunFiles } from '../../flow/files/run-files';
import { StepError } from '../../flow/step-error';

/** What a call sends. Without `contentType` the body itself says its type, as a multipart form does with its boundary. */
export interface RequestBody {
  body: string | Blob | FormData;
  contentType?: string;
}

type Form = NonNullable<RestStep['form']>;

/** The body of a call: the `body`, `form` or `file` of the step; undefined without one. */
export function requestBodyOf(step: RestStep, variables: Variables, files: RunFiles): RequestBody | undefined {
  if (step.form) return formBody(step.form, variables, files);
  if (step.file !== undefined) {
    const file = oneFile('file', step.file, variables, files);
    return { body: blobOf(file), contentType: file.contentType };
  }
  const body = step.body === undefined || step.body === null ? '' : renderBody(step.body, variables);
  return body === '' ? undefined : { body, contentType: contentTypeOf(step, body) };
}

function formBody({ encoding, fields = {}, files = {} }: Form, variables: Variables, known: RunFiles): RequestBody {
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
  sendable(
    'form: files',
    sent.map(({ file }) => file),
  );
  const form = new FormData();
  for (const [name, value] of values) form.append(name, value);
  for (const { name, file } of sent) form.append(name, blobOf(file), file.name);
  return { body: form };
}

function oneFile(field: string, template: string, variables: Variables, files: RunFiles): RunFile {
  const [file, ...others] = referencedFiles(field, template, variables, files);
  if (!file || others.length > 0) throw new StepError(`${field} must be one file`);
  return file;
}

function blobOf({ bytes, contentType }: RunFile): Blob {
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
