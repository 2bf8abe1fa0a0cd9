import { ActionIcon, Group } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { focusMoveButton } from '../../../common/focus-move-button';

interface ItemButtonsProps {
  /** Number of items of the list. */
  count: number;
  /** Index of the item that the buttons move or remove. */
  index: number;
  /** Name of the list, for screen readers. */
  label: string;
  /** Takes the present indexes of the items that stay, in their new order. */
  reorder: (order: number[]) => void;
}

export function ItemButtons({ count, index, label, reorder }: ItemButtonsProps) {
  const { t } = useTranslation('flow-editor');
  const place = { list: label, number: index + 1 };
  const others = Array.from({ length: count }, (_, each) => each).toSpliced(index, 1);
  const move = (button: Element, by: -1 | 1) => {
    reorder(others.toSpliced(index + by, 0, index));
    focusMoveButton(sameButtonBeside(button, by));
  };
  return (
    <Group gap={2} wrap="nowrap" className="item-buttons">
      <ActionIcon
        variant="subtle"
        size="sm"
        disabled={index === 0}
        aria-label={t('form.up', place)}
        onClick={({ currentTarget }) => move(currentTarget, -1)}
      >
        <IconArrowUp size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        size="sm"
        disabled={index === count - 1}
        aria-label={t('form.down', place)}
        onClick={({ currentTarget }) => move(currentTarget, 1)}
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

/** The same button of the item before or after this one. The moved item is shown there, because the elements stay and their contents change. */
function sameButtonBeside(button: Element, by: -1 | 1): Element | undefined {
  const item = button.closest('.form-item');
  const neighbour = by < 0 ? item?.previousElementSibling : item?.nextElementSibling;
  const place = [...(button.parentElement?.children ?? [])].indexOf(button);
  return neighbour?.querySelector('.item-buttons')?.children[place];
}
