import { Alert, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../common/code-block';
import { ErrorMessage } from '../../common/error-message';
import { useRememberedChoice } from '../../common/remembered-choice';
import { SecretOnce } from '../../common/secret-once';
import { activationCommand, AGENT_PACKAGE_PATH, PLATFORMS, ROUTER_PLACEHOLDER } from './activation-commands';
import { addressesQuery } from './queries';

/** The activation key, which is shown once, and the lines that start an agent with it. */
export function Activation({ environmentID, activationKey }: { environmentID: string; activationKey: string }) {
  const { t } = useTranslation('environments');
  const addresses = useQuery(addressesQuery);
  const [platform, choosePlatform] = useRememberedChoice('agent-platform', PLATFORMS);
  const router = addresses.data?.routerURL;
  const values = {
    environmentID,
    key: activationKey,
    router: router ?? ROUTER_PLACEHOLDER,
    package: `${window.location.origin}${AGENT_PACKAGE_PATH}`,
    image: addresses.data?.agentImage ?? null,
  };
  return (
    <Stack>
      <SecretOnce value={activationKey} label={t('activation.key')} />
      <Text>{t('activation.how')}</Text>
      {addresses.error && <ErrorMessage error={addresses.error} />}
      {addresses.isSuccess && router === null && (
        <Alert color="yellow">{t('activation.noRouter', { placeholder: ROUTER_PLACEHOLDER })}</Alert>
      )}
      <Tabs value={platform} onChange={choosePlatform}>
        <Tabs.List aria-label={t('activation.platform')}>
          {PLATFORMS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`activation.platforms.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {PLATFORMS.map((one) => (
          <Tabs.Panel key={one} value={one} pt="sm">
            <CodeBlock label={t('activation.command')} code={activationCommand(one, values)} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <Text c="dimmed" size="sm">
        {t('activation.then')}
      </Text>
    </Stack>
  );
}
