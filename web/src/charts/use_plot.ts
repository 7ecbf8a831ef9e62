import { useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { useTheme } from "../ui/theme";
import { palette, type Palette } from "./colours";
import type { Range } from "./fit";
import { followGestures, type Gestures } from "./gestures";
import { plotOptions, type PlotWishes } from "./plot_options";

/**
 * A plot in an element. It is created once the element has a width, recreated when the theme or a value in `again`
 * changes, and otherwise updated. `gone` is called when it is removed.
 */
export function usePlot(
  place: { current: HTMLElement | null },
  parts: {
    width: number;
    height: number;
    data: unknown;
    gestures: Gestures & { all: () => void; select: (part: Range) => void };
    wishes: (colours: Palette) => Omit<PlotWishes, "width" | "height" | "colours" | "selected" | "all">;
    again: unknown[];
    gone: () => void;
  },
): void {
  const { width, height, gestures } = parts;
  const data = parts.data as uPlot.AlignedData;
  const theme = useTheme();
  const plot = useRef<uPlot | null>(null);
  useLayoutEffect(() => {
    if (!place.current || width === 0) return;
    const colours = palette();
    const wishes = parts.wishes(colours);
    const made = new uPlot(
      plotOptions({ ...wishes, width, height, colours, selected: gestures.select, all: gestures.all }),
      data,
      place.current,
    );
    plot.current = made;
    const stop = followGestures(made.over, gestures);
    return () => {
      stop();
      made.destroy();
      plot.current = null;
      parts.gone();
    };
  }, [theme, width > 0, height, ...parts.again]);
  useLayoutEffect(() => plot.current?.setData(data, true), [data]);
  useLayoutEffect(() => {
    if (width > 0) plot.current?.setSize({ width, height });
  }, [width]);
}
