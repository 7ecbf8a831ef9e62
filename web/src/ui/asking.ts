/** Asks one at a time: whoever wants to know again meanwhile has one more answer afterwards. */
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
