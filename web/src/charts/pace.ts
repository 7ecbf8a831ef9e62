import { useEffect, useRef, useState } from "preact/hooks";

/** Throttles a value to one change per interval (milliseconds); the last value is never lost. */
export function usePaced<T>(value: T, milliseconds: number): T {
  const [paced, setPaced] = useState(value);
  const taken = useRef(0);
  useEffect(() => {
    const wait = taken.current + milliseconds - Date.now();
    const take = () => {
      taken.current = Date.now();
      setPaced(() => value);
    };
    if (wait <= 0) return take();
    const timer = setTimeout(take, wait);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return paced;
}

/** Debounces a value: updates it once it has not changed for the given time (milliseconds). */
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

/** A value that is only updated while an element is visible, so that no data is requested for hidden elements. */
export function useWhileSeen<T>(place: { current: Element | null }, value: T): T {
  const [isSeen, setSeen] = useState(true);
  const last = useRef(value);
  useEffect(() => {
    if (!place.current) return;
    const observer = new IntersectionObserver(([entry]) => entry && setSeen(entry.isIntersecting), {
      rootMargin: "200px",
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  if (isSeen) last.current = value;
  return last.current;
}
