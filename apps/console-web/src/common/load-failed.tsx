import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { hasLoadFailed, onLoadFailureChange, setLoadFailed } from '../load-failures';

/**
 * Says that a part of the page did not load and offers to load the page again; with `onClose` it is a notice that can be closed. The
 * browser asks before it discards unsaved edits.
 */
export function LoadFailed({ onClose }: { onClose?: () => void }) {
  const { t } = useTranslation();
  const isNotice = onClose !== undefined;
  // Hides the notice, because this message, which stands in place of the part, says the same.
  useEffect(() => {
    if (!isNotice) setLoadFailed(false);
  }, [isNotice]);
  return (
    <Alert color="red" icon={<IconAlertCircle aria-hidden />} title={t('loadFailed.title')} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('loadFailed.text')}</Text>
        <Group gap="xs">
          <Button size="xs" onClick={() => window.location.reload()}>
            {t('shell.reload')}
          </Button>
          {onClose && (
            <Button size="xs" variant="default" onClick={onClose}>
              {t('loadFailed.later')}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

/** A notice over the page after a part of it did not load; edits on the page are kept. */
export function LoadFailureNotice() {
  if (!useSyncExternalStore(onLoadFailureChange, hasLoadFailed)) return null;
  return (
    <div className="load-failure">
      <LoadFailed onClose={() => setLoadFailed(false)} />
    </div>
  );
}
