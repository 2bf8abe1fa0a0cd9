import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** The step at which a run failed and the reason, as far as both are known, in one line. */
export function StepLine({ step, reason }: { step: string | null; reason?: string }) {
  const { t } = useTranslation('runs');
  const text = [step ? t('atStep', { step }) : undefined, reason].filter((part) => part !== undefined).join(': ');
  return (
    <Text size="xs" c="dimmed" lineClamp={1} title={text} style={{ wordBreak: 'break-all' }}>
      {text}
    </Text>
  );
}
