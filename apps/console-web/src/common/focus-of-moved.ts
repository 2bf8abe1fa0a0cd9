/**
 * Focuses a button of an item that was moved in its list, so that Enter moves the item further. Waits until the page shows the new order; a button that is
 * disabled then, at the end of the list, leaves the focus to the one beside it.
 */
export function focusOfMoved(button: Element | null | undefined): void {
  requestAnimationFrame(() => {
    const enabled = button?.matches(':disabled')
      ? button.parentElement?.querySelector('button:not(:disabled)')
      : button;
    if (enabled instanceof HTMLElement) enabled.focus();
  });
}
