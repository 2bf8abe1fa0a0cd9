import { Paper, ScrollArea, Text, UnstyledButton } from '@mantine/core';
import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useEditor } from '../editor-context';
import { placeText } from '../place-text';

/** Every problem and warning. That of a step opens the form at its field; that of the flow itself leads nowhere. */
export function ProblemsList() {
  const { t } = useTranslation('flow-editor');
  const { problems, store } = useEditor();
  return (
    <Paper withBorder component="section" aria-label={t('problems.title')} className="problems-list">
      <ScrollArea.Autosize
        mah={150}
        viewportProps={{
          tabIndex: 0,
          'aria-label': t('problems.title'),
          role: 'group',
        }}
      >
        <ul>
          {problems.map(({ severity, step, type, field, message }, index) => (
            <li key={`${step ?? ''} ${field} ${index}`}>
              <UnstyledButton
                className="problem"
                disabled={step === undefined}
                onClick={() => step !== undefined && store.show(step, field === '' ? undefined : field)}
              >
                {severity === 'error' ? (
                  <IconAlertCircle size={16} className="problem-icon" aria-label={t('problems.problem')} />
                ) : (
                  <IconAlertTriangle size={16} className="warning-icon" aria-label={t('problems.warning')} />
                )}
                <Text size="sm" component="span">
                  <b>{placeText(t, { step, type, field })}</b>: {message}
                </Text>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </ScrollArea.Autosize>
    </Paper>
  );
}
