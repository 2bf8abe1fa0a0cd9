let isAccepted = false;

/** Whether the browser must ask before this window closes: something would be lost, and the user has not accepted the loss yet. */
export function mustAskBeforeLoss(mayLose: boolean): boolean {
  return mayLose && !isAccepted;
}

/** Whether the browser would ask if the window closed now. Sends a `beforeunload` event to its listeners to find out, and closes nothing. */
export function wouldAskBeforeLoss(): boolean {
  return !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
}

/** Called when the user has accepted the loss: the browser does not ask again before it leaves this page. */
export function acceptLoss(): void {
  isAccepted = true;
}
