import { Code, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { logText } from '../../runs/log-texts';
import { useEditor } from '../editor-context';

/** The log lines that the debug run wrote at a step, visit by visit. The agent has hidden the secrets in them. */
export function StepRun({ step }: { step: string }) {
  const { t } = useTranslation('flow-editor');
  const { visits } = useEditor();
  return (
    <Stack gap="sm">
      {visits.map((visit, index) =>
        visit.step === step ? (
          <div key={`${visit.startedAt} ${index}`} className={`form-item run-visit run-${visit.state}`}>
            <Text size="sm" fw={600}>
              {t(`run.states.${visit.state}`, { order: index + 1 })}
            </Text>
            {visit.lines.map((line, number) => (
              <Code block key={number} className={line.severity === 'ERROR' ? 'run-error' : undefined}>
                {logText(line.message, line.severity)}
              </Code>
            ))}
            {visit.lines.length === 0 && <Text size="sm">{t('run.noLines')}</Text>}
          </div>
        ) : null,
      )}
    </Stack>
  );
}
