import { useEffect, useRef, useState } from "preact/hooks";

/** A value that changes often, taken over at most once in so many milliseconds; the last one is never missed. */
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

/** A value once it has not changed for so many milliseconds. */
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

/** A value as it was when an element was last on the screen: what nobody sees need not be asked for. */
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
