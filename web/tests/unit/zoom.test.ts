import { expect, test } from "vitest";
import { chosen, moved, zoomed } from "../../src/charts/zoom";

test("zooming in keeps what is under the pointer where it is", () => {
  expect(zoomed(null, [0, 100], 0.5, 0, 1)).toEqual([0, 50]);
  expect(zoomed(null, [0, 100], 0.5, 1, 1)).toEqual([50, 100]);
  expect(zoomed([20, 40], [0, 100], 0.5, 0.5, 1)).toEqual([25, 35]);
});

test("zooming out ends with all of it, which grows", () => {
  expect(zoomed([20, 40], [0, 100], 2, 0.5, 1)).toEqual([10, 50]);
  expect(zoomed([20, 80], [0, 100], 2, 0.5, 1)).toBeNull();
});

test("there is a least part", () => {
  expect(zoomed([20, 22], [0, 100], 0.1, 0.5, 1)).toEqual([20.5, 21.5]);
});

test("moving stops at the ends", () => {
  expect(moved([20, 40], [0, 100], 0.5)).toEqual([30, 50]);
  expect(moved([20, 40], [0, 100], -5)).toEqual([0, 20]);
  expect(moved([20, 40], [0, 100], 50)).toEqual([80, 100]);
  expect(moved(null, [0, 100], 1)).toBeNull();
});

test("a chosen part is never too small and never outside", () => {
  expect(chosen([10, 20], [0, 100], 1)).toEqual([10, 20]);
  expect(chosen([10, 12], [0, 100], 5)).toEqual([8.5, 13.5]);
  expect(chosen([-5, 200], [0, 100], 5)).toBeNull();
});
