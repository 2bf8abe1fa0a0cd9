import { MutationCache } from '@tanstack/react-query';

/** The focused element and, if it is a field or a button, its value. */
const focusNow = () => {
  const element = document.activeElement;
  return [element, element && 'value' in element && element.value];
};

const focusAtSubmit = new WeakMap<object, unknown[]>();
/** The errors of changes that arrived before the user went to another element or typed, or when nothing had the focus: only they may move it. */
export const errorsThatMayMoveFocus = new WeakSet<Error>();

/** The mutation cache of the query client; it notes where the focus was when each change was sent, to fill `errorsThatMayMoveFocus`. */
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
