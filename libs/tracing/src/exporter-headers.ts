/**
 * Reads `name=value`, several separated by commas; values are percent-encoded. Returns undefined for any other text. An empty item is
 * left out.
 */
export function readExporterHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const item of text.split(',').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=(.*)$/s.exec(item) ?? [];
    const decoded = value === undefined ? undefined : decode(value.trim());
    if (name === undefined || decoded === undefined) return undefined;
    headers[name] = decoded;
  }
  return headers;
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
