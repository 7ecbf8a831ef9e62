/** An ARIA live region that announces the effect of keys. It is outside of the plot, whose content is not read aloud. */
export function Spoken(props: { text: string }) {
  return (
    <span class="hidden" role="status">
      {props.text}
    </span>
  );
}
