import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconAlertCircle, IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

const ICONS = { copy: IconCopy, copied: IconCheck, notCopied: IconAlertCircle };

/**
 * `label` says what is copied, for screen readers. A browser refuses to copy on a page without TLS, or without the permission; then
 * the button says so.
 */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const { t } = useTranslation();
  const clipboard = useClipboard({ timeout: 2_000 });
  const state = stateOf(clipboard);
  const Icon = ICONS[state];
  const text = t(`actions.${state}`);
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon size={16} aria-hidden />}
      aria-label={`${text}: ${label}`}
      onClick={() => clipboard.copy(value)}
    >
      {text}
    </Button>
  );
}

function stateOf({ error, copied }: { error: Error | null; copied: boolean }): keyof typeof ICONS {
  if (error) return 'notCopied';
  return copied ? 'copied' : 'copy';
}
