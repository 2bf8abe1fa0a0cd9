import { useTranslation } from 'react-i18next';
import { UnreadPage } from '../../common/missing-page';

/** Each page of a process that could not be read, also the pages of other features. */
export function UnreadProcess({ query: { error, refetch } }: { query: { error: unknown; refetch: () => unknown } }) {
  const { t } = useTranslation();
  return <UnreadPage title={t('nav.processes')} list="/processes" error={error} reset={() => void refetch()} />;
}
