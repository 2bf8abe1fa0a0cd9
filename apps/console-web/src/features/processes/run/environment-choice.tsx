import { NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorMessage } from '../../../common/error-message';
import { environmentChoicesQuery } from '../queries';

interface EnvironmentChoiceProps {
  label: string;
  /** The environment of a run for which none is chosen. It is the first choice, whose value is empty. */
  preset: string | null;
  /** The text of the first choice; `name` is undefined when the account does not reach the environment. */
  textOfPreset: (name: string | undefined) => string;
  value: string;
  error?: string;
  onChange: (environmentID: string) => void;
}

/** A choice of the environment in which a run takes place. */
export function EnvironmentChoice({ label, preset, textOfPreset, value, error, onChange }: EnvironmentChoiceProps) {
  const { data = [], error: failure } = useQuery(environmentChoicesQuery);
  const name = data.find(({ environmentID }) => environmentID === preset)?.name;
  return (
    <Stack gap="xs">
      <NativeSelect
        label={label}
        value={value}
        error={error}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        data={[
          { value: '', label: textOfPreset(name) },
          ...data
            .filter(({ environmentID }) => environmentID !== preset)
            .map(({ environmentID, name: other }) => ({ value: environmentID, label: other })),
        ]}
      />
      {failure && <ErrorMessage error={failure} />}
    </Stack>
  );
}
