import { ActionIcon, Group } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

interface ItemButtonsProps {
  /** Number of items of the list. */
  count: number;
  index: number;
  label: string;
  /** Takes the present indexes of the items that stay, in their new order. */
  reorder: (order: number[]) => void;
}

export function ItemButtons({ count, index, label, reorder }: ItemButtonsProps) {
  const { t } = useTranslation('flow-editor');
  const place = { list: label, number: index + 1 };
  const others = Array.from({ length: count }, (_, each) => each).toSpliced(index, 1);
  const moveTo = (to: number) => reorder(others.toSpliced(to, 0, index));
  return (
    <Group gap={2} wrap="nowrap">
      <ActionIcon
        variant="subtle"
        size="sm"
        disabled={index === 0}
        aria-label={t('form.up', place)}
        onClick={() => moveTo(index - 1)}
      >
        <IconArrowUp size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        size="sm"
        disabled={index === count - 1}
        aria-label={t('form.down', place)}
        onClick={() => moveTo(index + 1)}
      >
        <IconArrowDown size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="red"
        size="sm"
        aria-label={t('form.remove', place)}
        onClick={() => reorder(others)}
      >
        <IconTrash size={14} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
