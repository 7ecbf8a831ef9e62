import { useRef } from "preact/hooks";

export interface LineNote {
  line: number;
  message: string;
  isError: boolean;
}

/** A text editor with line numbers and markers. The textarea lies over a hidden copy of the text, which sets its size. */
export function Editor(props: {
  id: string;
  label: string;
  text: string;
  notes: LineNote[];
  describedBy?: string;
  readOnly?: boolean;
  change: (text: string) => void;
}) {
  const behind = useRef<HTMLDivElement>(null);
  const lines = props.text.split("\n");
  const noteOf = (line: number) => props.notes.find((note) => note.line === line);
  return (
    <div class="editor">
      <div class="editor-behind" aria-hidden="true">
        <div class="editor-lines" ref={behind}>
          {lines.map((line, i) => {
            const note = noteOf(i + 1);
            return (
              <div
                key={i}
                class={note ? `editor-line ${note.isError ? "is-wrong" : "is-doubtful"}` : "editor-line"}
              >
                <span class="editor-number">{i + 1}</span>
                <span class="editor-copy">{line}</span>
                {note && <span class="editor-note">{note.message}</span>}
              </div>
            );
          })}
        </div>
      </div>
      <textarea
        id={props.id}
        class="code"
        aria-label={props.label}
        aria-describedby={props.describedBy}
        aria-invalid={props.notes.some((note) => note.isError)}
        wrap="off"
        rows={Math.max(16, Math.min(40, lines.length + 2))}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={props.text}
        readOnly={props.readOnly}
        onInput={(event) => props.change(event.currentTarget.value)}
        onScroll={({ currentTarget: area }) => {
          if (behind.current)
            behind.current.style.transform = `translate(${-area.scrollLeft}px, ${-area.scrollTop}px)`;
        }}
      />
    </div>
  );
}

/** Puts the cursor at the beginning of a line. */
export function goToLine(id: string, line: number) {
  const area = document.getElementById(id);
  if (!(area instanceof HTMLTextAreaElement)) return;
  const before = area.value.split("\n").slice(0, line - 1);
  const at = before.reduce((sum, each) => sum + each.length + 1, 0);
  area.focus();
  area.setSelectionRange(at, at);
}
