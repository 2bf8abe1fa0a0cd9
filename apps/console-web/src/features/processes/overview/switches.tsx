import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer, ProcessChange } from '../../../api/generated/console-api';
import { SavingSwitch } from '../../../common/saving-switch';
import { useProcessChange } from './use-process-change';

/** The switches of a process, each of which is saved at once: active, schedules, API. */
export function ProcessSwitches({ process, editable }: { process: ProcessAnswer; editable: boolean }) {
  const { t } = useTranslation('processes');
  const change = useProcessChange(process.processID);
  const switches: { name: string; checked: boolean; changeTo: (on: boolean) => ProcessChange }[] = [
    { name: 'active', checked: process.active, changeTo: (active) => ({ active }) },
    { name: 'schedules', checked: !process.paused, changeTo: (on) => ({ paused: !on }) },
    {
      name: 'api',
      checked: process.apiPermission === 'LIBERADO',
      changeTo: (on) => ({ apiPermission: on ? 'LIBERADO' : 'BLOQUEADO' }),
    },
  ];
  return (
    <Stack gap="sm">
      {switches.map(({ name, checked, changeTo }) => (
        <SavingSwitch
          key={name}
          label={t(`overview.switches.${name}`)}
          description={t(`overview.switches.${name}Why`)}
          checked={checked}
          disabled={!editable}
          isSaving={change.isPending}
          onSwitch={(on) => change.mutate(changeTo(on))}
        />
      ))}
    </Stack>
  );
}
