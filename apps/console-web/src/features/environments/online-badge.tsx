import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../../common/status-badge';
import { onlineLook } from './online-look';

/** Whether an agent of the environment is connected. */
export function OnlineBadge({ online }: { online: boolean }) {
  const { t } = useTranslation('environments');
  return <StatusBadge look={onlineLook(online)}>{online ? t('online') : t('offline')}</StatusBadge>;
}
