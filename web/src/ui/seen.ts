import { useEffect, useRef, useState } from "preact/hooks";

const callbacks = new WeakMap<Element, (seen: boolean) => void>();
let observer: IntersectionObserver | null = null;

function shared(): IntersectionObserver {
  observer ??= new IntersectionObserver(
    (entries) => entries.forEach((entry) => callbacks.get(entry.target)?.(entry.isIntersecting)),
    { rootMargin: "200px" },
  );
  return observer;
}

/** Whether an element is visible or almost in view. */
export function useSeen<T extends Element>(): [{ current: T | null }, boolean] {
  const place = useRef<T>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    callbacks.set(element, setSeen);
    shared().observe(element);
    return () => shared().unobserve(element);
  }, []);
  return [place, seen];
}
