const dateTimeFormats = new Map<string, Intl.DateTimeFormat>();
const numberFormats = new Map<string, Intl.NumberFormat>();

/** Creating a formatter takes milliseconds and using it microseconds, so each is created once, at its first use. */
export const dateTimeFormat = (language: string, options: Intl.DateTimeFormatOptions) =>
  cachedFormat(dateTimeFormats, language, options, () => new Intl.DateTimeFormat(language, options));

export const numberFormat = (language: string, options: Intl.NumberFormatOptions = {}) =>
  cachedFormat(numberFormats, language, options, () => new Intl.NumberFormat(language, options));

/** The cache has no limit, because the options are few and come from the code. */
function cachedFormat<Format>(
  known: Map<string, Format>,
  language: string,
  options: object,
  make: () => Format,
): Format {
  const key = language + JSON.stringify(options);
  const format = known.get(key) ?? make();
  known.set(key, format);
  return format;
}
