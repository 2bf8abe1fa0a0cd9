let isAccepted = false;

/** Whether the browser has to ask before this window closes, of something that would be lost with it. */
export function asksBeforeLoss(mayLose: boolean): boolean {
  return mayLose && !isAccepted;
}

/** Whether the browser would ask now. */
export function wouldAskBeforeLoss(): boolean {
  return !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
}

/** Called when the user has accepted the loss: the browser does not ask again before it leaves this page. */
export function acceptLoss(): void {
  isAccepted = true;
}
