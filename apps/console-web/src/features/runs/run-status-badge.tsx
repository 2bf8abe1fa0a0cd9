import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../../common/status-badge';
import { shownStatus, STATUS_LOOKS, type RunStatus } from './run-status';

export function RunStatusBadge({ run }: { run: { status: RunStatus; paused?: true } }) {
  const { t } = useTranslation('runs');
  const status = shownStatus(run);
  return <StatusBadge look={STATUS_LOOKS[status]}>{t(`statuses.${status}`)}</StatusBadge>;
}
