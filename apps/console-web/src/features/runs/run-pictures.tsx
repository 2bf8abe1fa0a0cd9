import { Box, Button, Image, SimpleGrid, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DateTime } from '../../common/date-time';
import { ModalWindow } from '../../common/modal-window';
import { logText } from './log-texts';
import { logMessageOf, pictureOf, picturesOf, type NumberedLogLine, type RunPicture } from './run-log';

/** Thumbnails of the pictures of these log lines, not of lines that the page has not read; a click shows a picture in full size. */
export function RunPictures({ lines }: { lines: NumberedLogLine[] }) {
  const { t } = useTranslation('runs');
  const [shown, setShown] = useState<RunPicture>();
  const pictures = picturesOf(lines);
  if (pictures.length === 0) return null;
  return (
    <Stack component="section" gap="sm" aria-label={t('pictures.title')}>
      <Title order={2} size="h3">
        {t('pictures.title')}
      </Title>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
        {pictures.map((picture) => (
          <Picture key={picture.line.number} picture={picture} onOpen={() => setShown(picture)} />
        ))}
      </SimpleGrid>
      {shown && (
        <ModalWindow opened onClose={() => setShown(undefined)} size="auto" title={shown.line.stepID}>
          <Stack>
            <Image src={pictureOf(shown.line)} alt={t('pictures.of', nameOf(shown))} fit="contain" />
            <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
              {logText(logMessageOf(shown.line), shown.line.severity)}
            </Text>
          </Stack>
        </ModalWindow>
      )}
    </Stack>
  );
}

/** The values of the texts that name a picture. */
const nameOf = ({ line, ordinal }: RunPicture) => ({ step: line.stepID, number: ordinal });

function Picture({ picture, onOpen }: { picture: RunPicture; onOpen: () => void }) {
  const { line } = picture;
  const { t } = useTranslation(['runs', 'common']);
  // The agent sends pictures beside the log, so one may arrive after its line.
  const [attempt, setAttempt] = useState(0);
  const [isMissing, setMissing] = useState(false);
  if (isMissing) {
    return (
      <Stack gap={4} align="flex-start">
        <Text size="sm">{t('pictures.missing')}</Text>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            setAttempt(attempt + 1);
            setMissing(false);
          }}
        >
          {t('common:actions.tryAgain')}
        </Button>
      </Stack>
    );
  }
  return (
    <Box component="figure" m={0}>
      <UnstyledButton w="100%" onClick={onOpen} aria-label={t('pictures.enlarge', nameOf(picture))}>
        <Image
          key={attempt}
          src={pictureOf(line)}
          alt=""
          h={110}
          fit="contain"
          loading="lazy"
          onError={() => setMissing(true)}
        />
      </UnstyledButton>
      <Text component="figcaption" size="xs" c="dimmed">
        {line.stepID} · <DateTime value={line.timestamp} />
      </Text>
    </Box>
  );
}
