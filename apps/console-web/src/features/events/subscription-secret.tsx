import { Stack, Tabs, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../common/code-block';
import { useRememberedChoice } from '../../common/remembered-choice';
import { SecretOnce } from '../../common/secret-once';
import { VERIFY_SNIPPET_LANGUAGES, VERIFY_SNIPPETS } from './verify-snippets';

/** The secret of a subscription, which is shown once, and programs that check signatures with it. */
export function SubscriptionSecret({ secret }: { secret: string }) {
  const { t } = useTranslation('events');
  const [chosen, choose] = useRememberedChoice('verify-language', VERIFY_SNIPPET_LANGUAGES);
  return (
    <Stack>
      <SecretOnce value={secret} label={t('secret.label')} />
      <Text>{t('secret.how')}</Text>
      <Tabs value={chosen} onChange={choose}>
        <Tabs.List aria-label={t('secret.language')}>
          {VERIFY_SNIPPET_LANGUAGES.map((language) => (
            <Tabs.Tab key={language} value={language}>
              {t(`secret.languages.${language}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {VERIFY_SNIPPET_LANGUAGES.map((language) => (
          <Tabs.Panel key={language} value={language} pt="sm">
            <CodeBlock label={t('secret.program')} code={VERIFY_SNIPPETS[language]} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
