import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../../common/status-badge';

/** Whether an agent of the environment is connected. */
export function OnlineBadge({ online }: { online: boolean }) {
  const { t } = useTranslation('environments');
  return <StatusBadge look={online ? 'good' : 'waiting'}>{online ? t('online') : t('offline')}</StatusBadge>;
}
