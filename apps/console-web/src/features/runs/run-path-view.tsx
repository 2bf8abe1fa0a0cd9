import { Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { StatusBadge, type Look } from '../../common/status-badge';
import { useFormats } from '../../i18n/formats';
import type { PathStep } from './run-path';

const LOOKS: Record<PathStep['state'], Look> = { running: 'active', done: 'good', failed: 'bad', stopped: 'warning' };

/** The steps that the run has taken, in their order. */
export function RunPathView({ path }: { path: PathStep[] }) {
  const { t } = useTranslation('runs');
  const formats = useFormats();
  if (path.length === 0) return <Text c="dimmed">{t('path.none')}</Text>;
  return (
    <Stack
      component="ol"
      gap={6}
      m={0}
      ps="lg"
      tabIndex={0}
      aria-label={t('path.title')}
      style={{ maxHeight: '40dvh', overflowY: 'auto' }}
    >
      {path.map(({ step, state, startedAt, leftAt }, index) => (
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
}
