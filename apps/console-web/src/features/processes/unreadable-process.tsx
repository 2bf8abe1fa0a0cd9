import { useTranslation } from 'react-i18next';
import { UnreadablePage } from '../../common/missing-page';

/** Shown in place of any page of a process, also of other features, when the process or its data could not be read. */
export function UnreadableProcess({
  query: { error, refetch },
}: {
  query: { error: unknown; refetch: () => unknown };
}) {
  const { t } = useTranslation();
  return <UnreadablePage title={t('nav.processes')} list="/processes" error={error} reset={() => void refetch()} />;
}
