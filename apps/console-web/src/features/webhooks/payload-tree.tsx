import { Box, Button, Group, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { childrenOf, payloadTextOf, type PayloadNode } from './payload';

/** The drag-and-drop data type of the pointer of a dragged field. */
export const POINTER_TYPE = 'application/x-batuta-pointer';

/** Number of levels that are open at first. */
const OPEN_LEVELS = 3;
/** The width of the button that opens a level, and of the space of a field without one, so that all names are in one column. */
const TOGGLE_WIDTH_PX = 26;
/** A list of thousands of items is shown in parts. */
const ITEMS_PER_PART = 100;

interface TreeProps {
  /** The pointer of the chosen field; empty for the whole payload, and undefined while none is chosen. */
  chosen: string | undefined;
  onChoose: (pointer: string) => void;
}

/**
 * The fields of a payload, each with a button that opens its level and a button that chooses the field. A field can be
 * dragged as well.
 */
export function PayloadTree({ payload, ...props }: TreeProps & { payload: unknown }) {
  const { t } = useTranslation('webhooks');
  return (
    <ul aria-label={t('payload.title')} style={LIST}>
      <Field node={{ name: t('payload.whole'), pointer: '', value: payload }} level={0} {...props} />
    </ul>
  );
}

function Field({ node, level, ...props }: TreeProps & { node: PayloadNode; level: number }) {
  const { t } = useTranslation('webhooks');
  const { name, pointer, value } = node;
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS);
  const [shown, setShown] = useState(ITEMS_PER_PART);
  const fields = childrenOf(value, pointer);
  const isChosen = props.chosen === pointer;
  return (
    <li>
      <Group gap={4} wrap="nowrap" align="flex-start">
        {fields.length === 0 ? (
          <Box w={TOGGLE_WIDTH_PX} flex="none" />
        ) : (
          <Button
            size="compact-sm"
            w={TOGGLE_WIDTH_PX}
            p={0}
            flex="none"
            variant="subtle"
            aria-expanded={isOpen}
            aria-label={t('payload.fieldsOf', { name })}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? '−' : '+'}
          </Button>
        )}
        <UnstyledButton
          draggable
          aria-pressed={isChosen}
          p={2}
          style={{ ...CHOICE, outline: isChosen ? '2px solid var(--mantine-primary-color-filled)' : undefined }}
          onClick={() => props.onChoose(pointer)}
          onDragStart={(event) => {
            event.dataTransfer.setData(POINTER_TYPE, pointer);
            props.onChoose(pointer);
          }}
        >
          <Text span size="sm" fw={500}>
            {name}
          </Text>
          {(fields.length === 0 || !isOpen) && (
            <Text span size="sm" ff="monospace">
              {' '}
              {payloadTextOf(value)}
            </Text>
          )}
        </UnstyledButton>
      </Group>
      {isOpen && fields.length > 0 && (
        <ul style={{ ...LIST, paddingInlineStart: 14 }}>
          {fields.slice(0, shown).map((field) => (
            <Field key={field.pointer} node={field} level={level + 1} {...props} />
          ))}
          {fields.length > shown && (
            <li>
              <Button size="compact-sm" variant="default" onClick={() => setShown(shown + ITEMS_PER_PART)}>
                {t('payload.more', { count: fields.length - shown })}
              </Button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

const LIST = { listStyle: 'none', margin: 0, padding: 0 };
const CHOICE = { overflowWrap: 'anywhere', minWidth: 0, borderRadius: 4 } as const;
