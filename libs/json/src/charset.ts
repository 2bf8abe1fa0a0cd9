const CHARSET_PARAMETER = /;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/i;

/** The charset that a Content-Type header declares, in lower case; UTF-8 without one, as for JSON. */
export function declaredCharset(contentType = ''): string {
  const [, quoted, plain] = CHARSET_PARAMETER.exec(contentType) ?? [];
  const name = (quoted ?? plain ?? '').trim().toLowerCase();
  return name === '' ? 'utf-8' : name;
}
