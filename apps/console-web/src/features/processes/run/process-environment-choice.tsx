import { useTranslation } from 'react-i18next';
import type { ProcessAnswer } from '../../../api/generated/console-api';
import { EnvironmentChoice } from './environment-choice';

interface ProcessEnvironmentChoiceProps {
  process: Pick<ProcessAnswer, 'environmentID'>;
  /** Empty = the environment of the process. */
  value: string;
  onChange: (environmentID: string) => void;
}

/**
 * A choice of the environment for a run of a process. The first option is the environment of the process or, where it has none, asks the user
 * to choose.
 */
export function ProcessEnvironmentChoice({ process, value, onChange }: ProcessEnvironmentChoiceProps) {
  const { t } = useTranslation('processes');
  return (
    <EnvironmentChoice
      label={t('columns.environment')}
      preset={process.environmentID}
      textOfPreset={(name) => {
        if (process.environmentID === null) return t('run.chooseEnvironment');
        return name === undefined ? t('run.registered') : t('run.registeredName', { name });
      }}
      value={value}
      onChange={onChange}
    />
  );
}
