/** The refusal of an import or an export. The message is one sentence that names the file or folder; `hint` says what to do. */
export class ProcessFileError extends Error {
  override readonly name: string = 'ProcessFileError';

  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

export const importRefusal = (message: string, hint?: string) => new ProcessFileError(message, hint);
