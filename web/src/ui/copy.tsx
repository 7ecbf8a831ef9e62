import { useEffect, useState } from "preact/hooks";

/** A button that copies a text and confirms it. */
export function CopyButton(props: { text: string; label?: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(""), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <>
      <button
        type="button"
        class="small"
        onClick={() =>
          copy(props.text).then(
            () => setSaid("Copied"),
            () => setSaid("Could not copy"),
          )
        }
      >
        {said || props.label || "Copy"}
      </button>
      <span class="hidden" role="status">
        {said}
      </span>
    </>
  );
}

/** Pages without TLS have no clipboard API, but may copy a selection. */
async function copy(text: string) {
  if (navigator.clipboard && isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "hidden";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("not copied");
}
