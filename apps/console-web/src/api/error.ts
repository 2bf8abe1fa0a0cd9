/**
 * An error answer of the management API; its code is `UNREADABLE` when the body is not in the API's form. Status 0 = an error without an
 * answer: none arrived (`UNREACHABLE`), the page is at fault (`FAULT`), or the page refuses something itself, such as a file.
 */
export class CallError extends Error {
  override readonly name = 'CallError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The id of the call in the logs of the console; absent when no answer arrived, or one without the header `X-Request-Id`. */
    readonly requestID?: string,
    /** Seconds after which the call may be repeated; absent when the answer does not say. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }

  /** Returns the refusal of `field` in the user's language; set by `translatorOf` for the rules that only one screen knows. */
  translation?: () => string;

  /** Reads the error from the answer to a refused call. The body may have any form, for example that of a proxy. */
  static of({ status, headers }: Response, body: unknown): CallError {
    const { code, message } = readEnvelope(body) ?? { code: 'UNREADABLE', message: `Status ${status}` };
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    return new CallError(
      status,
      code,
      message,
      headers.get('x-request-id') ?? undefined,
      Number.isFinite(seconds) ? seconds : undefined,
    );
  }

  /** Returns any error as a CallError. An error that no call threw is a fault of the page, with the code FAULT. */
  static from(error: unknown): CallError {
    if (error instanceof CallError) return error;
    return new CallError(0, 'FAULT', error instanceof Error ? error.message : String(error));
  }

  /** The error of a call without an answer. The call may have been executed. */
  static unreachable(cause: unknown): CallError {
    return Object.assign(new CallError(0, 'UNREACHABLE', String(cause)), { cause });
  }

  /** True when the same call may succeed later: after too many calls (429), while a server is away, and for every error of status 0. */
  get isTemporary(): boolean {
    return [0, 429, 502, 503, 504].includes(this.status);
  }

  /** True when another page, perhaps of the same user, has saved since this page read the state that the call replaces. */
  get isOutdated(): boolean {
    return this.status === 412;
  }

  /**
   * The field that a message such as `processName: must have 1 to 120 characters` names, and the text after it; undefined for a message without
   * a name, and unless the status is 400.
   */
  get field(): { path: string; text: string } | undefined {
    const [, path, text] = /^([A-Za-z_][\w.[\]]*): (.+)$/s.exec(this.message) ?? [];
    return path !== undefined && text !== undefined && this.status === 400 ? { path, text } : undefined;
  }
}

function readEnvelope(body: unknown): { code: string; message: string } | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
  const { error } = body;
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return undefined;
  const { code, message } = error;
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined;
}
