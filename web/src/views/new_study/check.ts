import { useEffect, useState } from "preact/hooks";
import type { Checked } from "../../api/types";
import { usePage } from "../../ui/context";

const REST = 300; // milliseconds without typing

export interface Check {
  /** What the server said last, maybe of an older text. */
  checked: Checked | null;
  error: Error | null;
  isBusy: boolean;
}

/** Has the server read a study file, whenever the typing rests. */
export function useCheck(toml: string): Check {
  const { source } = usePage();
  const [check, setCheck] = useState<Check>({ checked: null, error: null, isBusy: true });
  useEffect(() => {
    let isOld = false;
    setCheck((last) => ({ ...last, isBusy: true }));
    const timer = setTimeout(() => {
      source.send<Checked>("POST", "/v1/checks", { toml }).then(
        (checked) => !isOld && setCheck({ checked, error: null, isBusy: false }),
        (error: Error) => !isOld && setCheck((last) => ({ ...last, error, isBusy: false })),
      );
    }, REST);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [toml, source]);
  return check;
}
