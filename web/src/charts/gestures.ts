/** Zooming and moving of a plot, in shares of its width. */
export interface Gestures {
  zoom(factor: number, anchor: number): void;
  move(share: number): void;
  /** Whether the plot shows only a part of the data. */
  canMove(): boolean;
}

const INTENDED_AFTER = 300; // milliseconds since the page last scrolled under the pointer

/**
 * The wheel zooms; a drag with Shift or one finger moves; two fingers zoom. If the plot comes under the pointer while
 * the page is scrolled, the wheel continues to scroll the page: it zooms only after the pointer has moved over the plot.
 */
export function followGestures(element: HTMLElement, gestures: Gestures): () => void {
  const share = (clientX: number) => {
    const box = element.getBoundingClientRect();
    return (clientX - box.left) / box.width;
  };
  let isIntended = false;
  let lastScroll = 0;
  const scrolled = () => {
    lastScroll = performance.now();
    isIntended = false;
  };
  const hover = () => {
    if (performance.now() - lastScroll > INTENDED_AFTER) isIntended = true;
  };
  const leave = () => (isIntended = false);
  const wheel = (event: WheelEvent) => {
    if (!isIntended && !event.ctrlKey && !event.metaKey) return;
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const isOut = !isSideways && event.deltaY > 0;
    if ((isSideways || isOut) && !gestures.canMove()) return; // everything is visible: the page may scroll
    event.preventDefault();
    const size = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (isSideways) gestures.move((event.deltaX * size) / element.clientWidth);
    else
      gestures.zoom(
        Math.exp(Math.max(-200, Math.min(200, event.deltaY * size)) * 0.002),
        share(event.clientX),
      );
  };

  // Fingers, and the mouse with Shift.
  const held = new Map<number, number>();
  const isMover = (event: PointerEvent) =>
    event.pointerType !== "mouse" || (event.shiftKey && event.button === 0);
  const down = (event: PointerEvent) => {
    if (!isMover(event)) return;
    held.set(event.pointerId, event.clientX);
    if (event.pointerType === "mouse") element.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const before = held.get(event.pointerId);
    if (before === undefined) return;
    const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
    held.set(event.pointerId, event.clientX);
    if (other === undefined) {
      if (gestures.canMove()) gestures.move((before - event.clientX) / element.clientWidth);
      return;
    }
    const was = Math.abs(before - other);
    const is = Math.abs(event.clientX - other);
    if (was > 8 && is > 8) gestures.zoom(was / is, share((event.clientX + other) / 2));
  };
  const up = (event: PointerEvent) => void held.delete(event.pointerId);

  const abort = new AbortController();
  const { signal } = abort;
  addEventListener("scroll", scrolled, { passive: true, signal });
  element.addEventListener("pointermove", hover, { signal });
  element.addEventListener("pointerleave", leave, { signal });
  element.addEventListener("wheel", wheel, { passive: false, signal });
  element.addEventListener("pointerdown", down, { signal });
  element.addEventListener("pointermove", move, { signal });
  element.addEventListener("pointerup", up, { signal });
  element.addEventListener("pointercancel", up, { signal });
  return () => abort.abort();
}

/** Handles the keys that zoom and move. Returns true if the key was one of them. */
export function followKey(key: string, gestures: Gestures & { all(): void }): boolean {
  switch (key) {
    case "+":
    case "=":
      gestures.zoom(0.5, 0.5);
      return true;
    case "-":
      gestures.zoom(2, 0.5);
      return true;
    case "ArrowLeft":
      gestures.move(-0.2);
      return true;
    case "ArrowRight":
      gestures.move(0.2);
      return true;
    case "0":
      gestures.all();
      return true;
    default:
      return false;
  }
}
