import { Anchor, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Trans, useTranslation } from 'react-i18next';
import { CodeBlock } from '../../../common/code-block';
import { ErrorMessage } from '../../../common/error-message';
import { PendingRead } from '../../../common/pending-read';
import { useRememberedChoice } from '../../../common/remembered-choice';
import { addressesQuery } from '../../environments/queries';
import { useProcess } from '../use-process';
import { START_SNIPPET_LANGUAGES, startSnippet } from './snippets';

/**
 * Programs that start the process. They contain `processKey`, which is given only while the page shows the key anyway; no link then leads away
 * from the page, because the key is shown once.
 */
export function StartSnippets({ processKey }: { processKey?: string }) {
  const { t } = useTranslation('processes');
  const { processID, matrix } = useProcess();
  const [chosen, choose] = useRememberedChoice('snippet-language', START_SNIPPET_LANGUAGES);
  const addresses = useQuery(addressesQuery);
  if (addresses.isPending) return <PendingRead failure={addresses.failureReason} height={160} />;
  if (!addresses.data) return <ErrorMessage error={addresses.error} />;
  const { gatewayURL } = addresses.data;
  return (
    <Stack gap="xs">
      <Text size="sm">
        <Trans
          t={t}
          i18nKey={processKey === undefined ? 'snippets.both' : 'snippets.credential'}
          components={{ account: <Anchor inherit component={Link} to="/account" underline="always" /> }}
        />
      </Text>
      <Tabs value={chosen} onChange={choose}>
        <Tabs.List aria-label={t('snippets.language')}>
          {START_SNIPPET_LANGUAGES.map((language) => (
            <Tabs.Tab key={language} value={language}>
              {t(`snippets.${language}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {START_SNIPPET_LANGUAGES.map((language) => (
          <Tabs.Panel key={language} value={language} pt="sm">
            <CodeBlock
              label={t(`snippets.${language}`)}
              code={startSnippet(language, { gatewayURL, processID, matrix, processKey })}
            />
          </Tabs.Panel>
        ))}
      </Tabs>
      <Text size="sm" c="dimmed">
        {t('snippets.docs')}{' '}
        <Anchor
          inherit
          underline="always"
          href={`${gatewayURL.replace(/\/+$/, '')}/docs`}
          target="_blank"
          rel="noreferrer"
        >
          {`${gatewayURL.replace(/\/+$/, '')}/docs`}
        </Anchor>
      </Text>
    </Stack>
  );
}
