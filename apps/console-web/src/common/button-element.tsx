import type { ComponentProps, MouseEvent } from 'react';

interface ButtonElementProps extends ComponentProps<'button'> {
  'data-loading'?: boolean;
}

/**
 * The element of every Mantine `Button`. Mantine disables a button that shows `loading`, and a browser takes the focus from an element that is
 * disabled, so that the keyboard would go on at the top of the page. This element keeps the focus and ignores presses meanwhile.
 */
export function renderButton(props: ButtonElementProps) {
  return (
    <button
      {...props}
      {...(props['data-loading'] && { disabled: false, 'aria-disabled': true, onClick: preventDefault })}
    />
  );
}

/** Keeps a submit button that is loading from sending its form, also by Enter in a field, which presses the button. */
const preventDefault = (event: MouseEvent) => event.preventDefault();
