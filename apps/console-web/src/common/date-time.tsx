import { useFormats } from '../i18n/formats';

/**
 * A time in the user's language and the zone of this machine; the full form is its title. `value` is an ISO text or milliseconds since
 * 1970; without it a dash is shown.
 */
export function DateTime({ value }: { value: string | number | null | undefined }) {
  const formats = useFormats();
  if (value === null || value === undefined) return <>–</>;
  return (
    <time dateTime={new Date(value).toISOString()} title={formats.fullDateTime(value)}>
      {formats.dateTime(value)}
    </time>
  );
}
