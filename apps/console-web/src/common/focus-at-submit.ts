import { MutationCache } from '@tanstack/react-query';

/** The focused element and, if it is a field or a button, its value. */
const focusNow = () => {
  const element = document.activeElement;
  return [element, element && 'value' in element && element.value];
};

const focusAtSubmit = new WeakMap<object, unknown[]>();
/** The errors of changes that arrived before the user went to another element or typed: only they may move the focus. */
export const errorsThatMayMoveFocus = new WeakSet<Error>();

/** Notes for each change where the focus was when the change was sent. */
export const mutationCache = new MutationCache({
  onMutate: (_variables, mutation) => {
    focusAtSubmit.set(mutation, focusNow());
  },
  onError: (error, _variables, _context, mutation) => {
    const now = focusNow();
    const isSame = focusAtSubmit.get(mutation)?.every((part, index) => part === now[index]);
    // The browser gives the focus of an element that is disabled, such as a field of a run that is being sent, to the body.
    if (isSame || document.activeElement === document.body) errorsThatMayMoveFocus.add(error);
  },
});
