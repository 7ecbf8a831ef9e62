/** Sends one request at a time. Any number of calls during a request lead to one more request after it. */
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
