import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

const ORDER = ['auto', 'light', 'dark'] as const;
const ICONS = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon };

export function ThemeSwitch() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Icon = ICONS[colorScheme];
  const next = ORDER[(ORDER.indexOf(colorScheme) + 1) % ORDER.length] ?? 'auto';
  const label = t('shell.theme', { now: t(`theme.${colorScheme}`), next: t(`theme.${next}`) });
  return (
    <ActionIcon variant="default" size="lg" aria-label={label} title={label} onClick={() => setColorScheme(next)}>
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
}
