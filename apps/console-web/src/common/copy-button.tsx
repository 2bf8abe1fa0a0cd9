import { Button, type ButtonProps } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconAlertCircle, IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

const ICONS = { copy: IconCopy, copied: IconCheck, notCopied: IconAlertCircle };

interface CopyButtonProps extends Pick<ButtonProps, 'size'> {
  value: string;
  /** The text of the button in place of "Copy". */
  text?: string;
  /** Says what is copied, for screen readers. */
  label?: string;
}

/**
 * Copies a text. A browser refuses to copy on a page without TLS, or without the permission; then
 * the button says so.
 */
export function CopyButton({ value, text, label, size = 'xs' }: CopyButtonProps) {
  const { t } = useTranslation();
  const clipboard = useClipboard({ timeout: 2_000 });
  const state = stateOf(clipboard);
  const Icon = ICONS[state];
  const shown = (state === 'copy' && text) || t(`actions.${state}`);
  return (
    <Button
      size={size}
      variant="default"
      leftSection={<Icon size={16} aria-hidden />}
      aria-label={label === undefined ? undefined : `${shown}: ${label}`}
      onClick={() => clipboard.copy(value)}
    >
      {shown}
    </Button>
  );
}

function stateOf({ error, copied }: { error: Error | null; copied: boolean }): keyof typeof ICONS {
  if (error) return 'notCopied';
  return copied ? 'copied' : 'copy';
}
