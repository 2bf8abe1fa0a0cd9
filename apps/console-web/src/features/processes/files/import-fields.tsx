import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useChoiceError } from '../../../common/choice-error';
import { PasswordField } from '../../../common/password-field';
import { environmentChoicesQuery } from '../queries';
import type { ImportChoices } from './process-archive';

interface ImportFieldsProps {
  /** The environment that the definition names; null for none. */
  environment: string | null;
  /** Whether the definition has signatures, whose secret it does not hold. */
  hasSignedOrigin: boolean;
  choices: ImportChoices;
  onChange: (choices: ImportChoices) => void;
}

/** The inputs of an import beside its files: the environment, which may differ in this installation, and the secret of signatures. */
export function ImportFields({ environment, hasSignedOrigin, choices, onChange }: ImportFieldsProps) {
  const { t } = useTranslation('processes');
  const environments = useQuery(environmentChoicesQuery);
  return (
    <>
      <NativeSelect
        label={t('columns.environment')}
        error={useChoiceError(environments)}
        value={choices.environmentID}
        onChange={({ currentTarget }) => onChange({ ...choices, environmentID: currentTarget.value })}
        data={[
          { value: '', label: environment ?? t('add.noEnvironment') },
          ...(environments.data ?? [])
            .filter(({ name }) => name !== environment)
            .map(({ environmentID, name }) => ({ value: environmentID, label: name })),
        ]}
      />
      {hasSignedOrigin && (
        <PasswordField
          label={t('files.secret')}
          description={t('files.secretWhy')}
          autoComplete="off"
          value={choices.secret}
          onChange={({ currentTarget }) => onChange({ ...choices, secret: currentTarget.value })}
        />
      )}
    </>
  );
}
