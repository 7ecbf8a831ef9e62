import { useMemo, useRef, useState } from "preact/hooks";
import type { StudyParts } from "./parts";
import { studyPath } from "../../api/source";
import type { Knob, Tree } from "../../api/types";
import { ColourBar } from "../../charts/colour_bar";
import { robustRange, type Range } from "../../charts/fit";
import { Icicle, lastSplit } from "../../charts/icicle";
import { mostPulled, placed, wayTo, type Placed } from "../../charts/icicle_layout";
import { usePaced, useWhileSeen } from "../../charts/pace";
import { cellWords, counted, shortened } from "../../charts/words";
import { armText } from "../../format/arms";
import { plain, whole } from "../../format/numbers";
import { useAnswer } from "../../ui/hooks";
import { Card, Empty, Failure, Loading } from "../../ui/parts";
import { regionNote } from "../../words/policy";

/** The tree of the search: where and how finely it has searched. */
export function TreeCard(props: StudyParts) {
  const place = useRef<HTMLDivElement>(null);
  const beat = useWhileSeen(place, usePaced(props.feed.beat, 10_000));
  const tree = useAnswer<Tree>(studyPath(props.name, "tree", { limit: 5000, cells: "true" }), beat);
  const cells = useMemo(() => placed(tree.value?.nodes ?? []), [tree.value]);
  return (
    <Card
      title="Where has it looked?"
      note={
        [noteOf(tree.value, cells), regionNote(props.study.specification)].filter(Boolean).join(" ") ||
        undefined
      }
    >
      <div ref={place}>
        {!tree.value ? (
          tree.error ? (
            <Failure error={tree.error} />
          ) : (
            <Loading height={240} label="Loading the tree" />
          )
        ) : cells.length === 0 ? (
          <Empty title="There is no tree to draw.">
            <p>The optimizer {props.study.optimizer} has no tree, or the study has not begun.</p>
          </Empty>
        ) : !hasLooked(cells) ? (
          <Empty title="Nothing has been searched yet.">
            <p>The tree is drawn once there are rewards.</p>
          </Empty>
        ) : (
          <TreePicture {...props} cells={cells} />
        )}
      </div>
    </Card>
  );
}

const hasLooked = (cells: Placed[]) => cells.some((cell) => cell.pulls > 0);

function noteOf(tree: Tree | null, cells: Placed[]): string | undefined {
  if (!hasLooked(cells)) return undefined;
  if (cells.length === 1) return "The search space is not divided yet.";
  const deepest = cells.reduce((most, cell) => Math.max(most, cell.depth), 0);
  const left = tree?.left_out ? ` ${counted(tree.left_out, "more cell")} with few pulls omitted.` : "";
  return `${counted(cells.length, "cell")} in ${counted(deepest + 1, "row")}: the lower the row, the finer the cells.${left}`;
}

function TreePicture(props: StudyParts & { cells: Placed[] }) {
  const { cells } = props;
  const { space, direction } = props.study.specification;
  const [path, setPath] = useState("");
  const root = cells[0];
  const range = useMemo<Range>(() => robustRange(cells.map((cell) => cell.mean)) ?? [0, 1], [cells]);
  if (!root) return null;
  const zoom = cells.find((cell) => cell.node.path === path) ?? root;
  const zoomTo = (cell: Placed) => setPath(cell.node.path);
  return (
    <>
      <Crumbs space={space} zoom={zoom} zoomTo={zoomTo} />
      <Icicle
        cells={cells}
        space={space}
        range={range}
        direction={direction}
        zoom={zoom}
        zoomTo={zoomTo}
        label={`The tree of the search as rows of ${counted(cells.length, "cell")}; a table of the cells with the most pulls follows. The arrow keys move between cells, Enter zooms into one, Escape goes back.`}
      />
      <div class="legend chart-legend">
        <ColourBar range={range} direction={direction} what="Mean reward" />
        <span>Width: share of the search space. Faint: few pulls. Click a cell to see it larger.</span>
      </div>
      <MostPulled space={space} cells={cells} />
    </>
  );
}

/** The path from the root to the cell that is shown. */
function Crumbs(props: { space: Knob[]; zoom: Placed; zoomTo: (cell: Placed) => void }) {
  const way = wayTo(props.zoom);
  const shown = way.length > 5 ? [way[0], null, ...way.slice(-3)] : way;
  return (
    <nav class="crumbs" aria-label="Cells around this one">
      <ol>
        {shown.map((cell, i) =>
          cell ? (
            <li key={cell.node.path}>
              {cell === props.zoom ? (
                <span aria-current="true">{crumb(props.space, cell)}</span>
              ) : (
                <button type="button" class="quiet" onClick={() => props.zoomTo(cell)}>
                  {crumb(props.space, cell)}
                </button>
              )}
            </li>
          ) : (
            <li key={`gap ${i}`}>…</li>
          ),
        )}
      </ol>
    </nav>
  );
}

function crumb(space: Knob[], cell: Placed): string {
  return cell.parent ? shortened(lastSplit(space, cell), 36) : "Everything";
}

const ROWS = 10;

/** The cells with the most pulls, as a table. */
function MostPulled(props: { space: Knob[]; cells: Placed[] }) {
  const most = mostPulled(props.cells, ROWS);
  if (most.length === 0) return null;
  return (
    <details class="as-table">
      <summary>The cells whose own setting got the most pulls, as a table</summary>
      <div
        class="scroll"
        tabIndex={0}
        role="region"
        aria-label="The cells whose own setting got the most pulls"
      >
        <table>
          <thead>
            <tr>
              <th scope="col">setting</th>
              <th scope="col">cell</th>
              <th scope="col" class="number">
                pulls
              </th>
              <th scope="col" class="number">
                mean
              </th>
              <th scope="col" class="number">
                bound
              </th>
            </tr>
          </thead>
          <tbody>
            {most.map(({ node }) => (
              <tr key={node.path}>
                <td>{shortened(armText(node.arm), 160)}</td>
                <td>
                  {cellWords(props.space, node.cell ?? {})
                    .map(([name, words]) => `${shortened(name, 40)} ${words}`)
                    .join(", ") || "everything"}
                </td>
                <td class="number">{whole(node.pulls)}</td>
                <td class="number">{plain(node.mean)}</td>
                <td class="number">{plain(node.bound)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
