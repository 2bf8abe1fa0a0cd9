import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { EventTestAnswer } from '../../api/generated/console-api';
import { ErrorMessage } from '../../common/error-message';
import { useFormats } from '../../i18n/formats';
import { deliveryErrorText } from './delivery-errors';
import { sendTestEvent } from './queries';

/** A button that sends one test event, and how the address answered it. */
export function TestEvent({ id }: { id: string }) {
  const { t } = useTranslation('events');
  const test = useMutation({ mutationFn: sendTestEvent });
  return (
    <Stack gap="xs" align="flex-start">
      <Button loading={test.isPending} onClick={() => test.mutate(id)}>
        {t('test.open')}
      </Button>
      <Text size="sm" c="dimmed">
        {t('test.what')}
      </Text>
      {test.error && <ErrorMessage error={test.error} />}
      <div role="status">{test.data && <Result result={test.data} />}</div>
    </Stack>
  );
}

function Result({ result: { ok, status, error, durationMs } }: { result: EventTestAnswer }) {
  const { t } = useTranslation('events');
  const formats = useFormats();
  const duration = formats.duration(durationMs);
  return (
    <Alert color={ok ? 'brand' : 'red'} title={ok ? t('test.accepted') : t('test.refused')}>
      <Text size="sm">
        {status === null ? t('test.noAnswer', { duration }) : t('test.answer', { status, duration })}
      </Text>
      {error !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {deliveryErrorText(error)}
        </Text>
      )}
    </Alert>
  );
}
