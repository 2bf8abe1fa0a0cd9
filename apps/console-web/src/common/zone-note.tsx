import { Text } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { machineDaysDiffer } from './day';

/**
 * A note that days are those of São Paulo, on a machine whose days differ, else null. A page shows the note once. `describedBy` is its
 * id, for `aria-describedby` of the elements whose days it explains, so that it is no part of their names.
 */
export function useZoneNote(): { note: ReactNode; describedBy: string | undefined } {
  const { t } = useTranslation();
  const id = useId();
  if (!machineDaysDiffer(new Date().getFullYear())) return { note: null, describedBy: undefined };
  const note = (
    <Text id={id} size="xs" c="dimmed">
      {t('filter.zone')}
    </Text>
  );
  return { note, describedBy: id };
}
