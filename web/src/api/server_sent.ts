/**
 * Parses a stream of server-sent events in chunks of any size, and calls back with each event whose data is JSON.
 * (EventSource cannot send a token.)
 */
export function eventsIn(onEvent: (kind: string, data: unknown) => void): (piece: string) => void {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      let kind = "message";
      let data = "";
      for (const line of block.split("\n")) {
        if (line.startsWith("event: ")) kind = line.slice(7);
        if (line.startsWith("data: ")) data += line.slice(6);
      }
      if (data) onEvent(kind, JSON.parse(data));
    }
  };
}
