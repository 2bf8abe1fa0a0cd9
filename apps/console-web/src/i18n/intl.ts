const dateTimeFormats = new Map<string, Intl.DateTimeFormat>();
const numberFormats = new Map<string, Intl.NumberFormat>();

/** Making a formatter takes a browser milliseconds, writing with it microseconds: each is made once, when it is first needed. */
export const dateTimeFormat = (language: string, options: Intl.DateTimeFormatOptions) =>
  once(dateTimeFormats, language, options, () => new Intl.DateTimeFormat(language, options));

export const numberFormat = (language: string, options: Intl.NumberFormatOptions = {}) =>
  once(numberFormats, language, options, () => new Intl.NumberFormat(language, options));

/** The options are few and come from the code, so nothing is ever thrown away. */
function once<Format>(known: Map<string, Format>, language: string, options: object, make: () => Format): Format {
  const key = language + JSON.stringify(options);
  const format = known.get(key) ?? make();
  known.set(key, format);
  return format;
}
