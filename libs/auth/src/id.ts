const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id in the form in which the database holds it; undefined for anything but a UUID. */
export function readID(text: unknown): string | undefined {
  return typeof text === 'string' && UUID_PATTERN.test(text) ? text.toLowerCase() : undefined;
}
