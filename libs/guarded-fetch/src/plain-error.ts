/** Wraps an error, because fetch keeps a plain Error as the cause of its own, but may replace errors of other classes by their text. */
export function wrapInPlainError(error: unknown): Error {
  return new Error('the connection was not made', { cause: error });
}
