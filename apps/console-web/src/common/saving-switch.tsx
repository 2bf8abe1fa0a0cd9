import { Switch, type SwitchProps } from '@mantine/core';

interface SavingSwitchProps extends Omit<SwitchProps, 'onChange'> {
  isSaving: boolean;
  onSwitch: (on: boolean) => void;
}

/** A switch that saves at once. While it saves, it ignores presses and stays enabled, because a disabled element loses the focus. */
export function SavingSwitch({ isSaving, onSwitch, ...props }: SavingSwitchProps) {
  return (
    <Switch
      {...props}
      aria-busy={isSaving}
      onChange={({ currentTarget }) => {
        if (!isSaving) onSwitch(currentTarget.checked);
      }}
    />
  );
}
