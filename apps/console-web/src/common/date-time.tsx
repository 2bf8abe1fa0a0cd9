import { useFormats } from '../i18n/formats';

/** A time in the user's language and zone; the full form is its title. `value` is an ISO text or milliseconds since 1970. */
export function DateTime({ value }: { value: string | number | null | undefined }) {
  const formats = useFormats();
  if (value === null || value === undefined) return <>–</>;
  return (
    <time dateTime={new Date(value).toISOString()} title={formats.fullDateTime(value)}>
      {formats.dateTime(value)}
    </time>
  );
}
