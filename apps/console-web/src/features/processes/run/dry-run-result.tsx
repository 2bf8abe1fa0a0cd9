import { Alert, List, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DryRunAnswer } from '../../../api/generated/console-api';
import { messageText } from '../../../common/message-text';

/** Says whether a start with the checked values would be accepted, and where it would run. The converted values are shown at their fields. */
export function DryRunResult({ answer }: { answer: DryRunAnswer }) {
  const { t } = useTranslation('processes');
  const { refusals, status, environment } = answer;
  const accepted = refusals.length === 0;
  return (
    <Alert
      role="status"
      color={accepted ? 'brand' : 'red'}
      icon={accepted ? <IconCircleCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={t(accepted ? 'run.wouldStart' : 'run.wouldBeRefused')}
    >
      {accepted && status !== undefined && <Text size="sm">{t(`run.would.${status}`)}</Text>}
      {environment && (
        <Text size="sm">
          {t(environment.online ? 'run.onlineIn' : 'run.offlineIn', { environment: environment.name })}
        </Text>
      )}
      {!accepted && (
        <List size="sm" spacing={4}>
          {refusals.map(({ code, message }, index) => (
            <List.Item key={index} style={{ overflowWrap: 'anywhere' }}>
              {[t(`run.refusals.${code}`, { defaultValue: '' }), messageText(message)]
                .filter((text) => text !== '')
                .join(' ')}
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
