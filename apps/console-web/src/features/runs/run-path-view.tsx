import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { StatusBadge, type Look } from '../../common/status-badge';
import { useFormats } from '../../i18n/formats';
import type { PathStep, RunPath } from './run-path';

const LOOKS: Record<PathStep['state'], Look> = { running: 'active', done: 'good', failed: 'bad', stopped: 'warning' };

/** The steps that the run has taken, in their order. */
export function RunPathView({ path: { steps, from } }: { path: RunPath }) {
  const { t } = useTranslation('runs');
  const formats = useFormats();
  const earlier = from > 1 && <Text c="dimmed">{t('path.from', { from })}</Text>;
  if (steps.length === 0) return earlier || <Text c="dimmed">{t('path.none')}</Text>;
  const list = (
    <Stack
      component="ol"
      gap={6}
      m={0}
      ps="lg"
      tabIndex={0}
      aria-label={t('path.title')}
      style={{ maxHeight: '40dvh', overflowY: 'auto' }}
    >
      {steps.map(({ step, state, startedAt, leftAt }, index) => (
        <li key={`${startedAt} ${index}`}>
          <Group gap="xs">
            <Text fw={500} component="span">
              {step}
            </Text>
            <StatusBadge look={LOOKS[state]}>{t(`path.states.${state}`)}</StatusBadge>
            {leftAt !== null && (
              <Text size="sm" c="dimmed" component="span">
                {formats.duration(Math.max(0, Date.parse(leftAt) - Date.parse(startedAt)))}
              </Text>
            )}
          </Group>
        </li>
      ))}
    </Stack>
  );
  return (
    <Stack gap="xs">
      {earlier}
      {list}
    </Stack>
  );
}
