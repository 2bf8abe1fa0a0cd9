import { Button, Container, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ErrorMessage } from './error-message';
import { LoadFailed } from './load-failed';
import { LoadFailure } from '../load-failures';

/** The error page that replaces a page that cannot be shown. */
export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useTranslation();
  return (
    <Container size="sm" py="xl">
      <Stack align="flex-start">
        {error instanceof LoadFailure ? (
          <LoadFailed />
        ) : (
          <>
            <ErrorMessage error={error} />
            <Button onClick={reset}>{t('actions.tryAgain')}</Button>
          </>
        )}
      </Stack>
    </Container>
  );
}
