/** Sends one request at a time. Calls during a request lead to a single further request after it. */
export function oneAtATime(ask: () => Promise<void>): () => void {
  let isBusy = false;
  let isWanted = false;
  const again = async () => {
    isBusy = true;
    do {
      isWanted = false;
      await ask();
    } while (isWanted);
    isBusy = false;
  };
  return () => {
    if (isBusy) isWanted = true;
    else void again();
  };
}
