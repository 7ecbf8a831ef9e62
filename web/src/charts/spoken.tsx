/** Says politely what the keys have done in a picture. It stands beside the picture: what is inside is not read. */
export function Spoken(props: { text: string }) {
  return (
    <span class="hidden" role="status">
      {props.text}
    </span>
  );
}
