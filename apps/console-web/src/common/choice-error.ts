import { useTranslation } from 'react-i18next';
import { CallError } from '../api/error';

/**
 * The error text of a field whose choices the query could not read, undefined without an error; without the text the field would look as if it
 * had no choices.
 */
export function useChoiceError({ error }: { error: Error | null }): string | undefined {
  const { t } = useTranslation();
  if (!error) return undefined;
  const { code, requestID } = CallError.from(error);
  const why = t(`errors.codes.${code}`, { defaultValue: '' });
  const id = requestID === undefined ? '' : t('errors.requestID', { id: requestID });
  return [t('errors.choices'), why, id].filter((part) => part !== '').join(' ');
}
