import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { retryReadsNow } from '../api/query-client';
import { ErrorMessage } from './error-message';

interface PendingReadProps {
  /** The error of the last attempt, `failureReason` of the query, while the read is repeated. */
  failure: Error | null | undefined;
  /** The height in pixels of what is read. */
  height: number;
}

/** Shown in place of what is being read for the first time. */
export function PendingRead({ failure, height }: PendingReadProps) {
  return (
    <Stack>
      <RepeatedRead failure={failure} />
      <Skeleton height={height} role="status" aria-busy="true" />
    </Stack>
  );
}

/** Says that a read has failed and is repeated, with a button that repeats it at once; shows nothing before the first failure. */
export function RepeatedRead({ failure }: Pick<PendingReadProps, 'failure'>) {
  const { t } = useTranslation();
  if (!failure) return null;
  return (
    <Stack align="flex-start" gap="xs">
      <ErrorMessage error={failure} />
      <Group gap="sm">
        <Text size="sm">{t('errors.retrying')}</Text>
        <Button variant="default" size="xs" onClick={retryReadsNow}>
          {t('actions.tryNow')}
        </Button>
      </Group>
    </Stack>
  );
}
