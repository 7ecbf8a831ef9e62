import { expect, test } from "vitest";
import type { Policy, PolicyRow } from "../../src/api/types";
import type { Variable } from "../../src/charts/policy_layout";
import {
  dependsSentence,
  effectSentence,
  limitsText,
  movedSentence,
  namesText,
  neighboursText,
  regionNote,
  rowTexts,
  whereText,
} from "../../src/words/policy";

const hour: Variable = { name: "hour", type: "real", low: 0, high: 24, period: 24 };
const tenant: Variable = { name: "tenant", type: "choice", choices: ["a", "b", "c"] };
const variables = [hour, tenant];

const row: PolicyRow = {
  where: { tenant: ["a", "b"], hour: { from: 19.5, to: 7 } },
  arm: { ttl: 12 },
  pulls: 812,
  arm_pulls: 340,
  mean: 0.924,
  interval: { lower: 0.9, upper: 0.95 },
  may_share: [1, 3],
};

test("a region is said in the order of the variables", () => {
  expect(whereText(variables, row)).toBe("hour 19.5 to 7, tenant a or b");
  expect(whereText(variables, { ...row, where: {} })).toBe("all contexts");
  expect(whereText(variables, { ...row, where: { hour: { from: 3, to: 3 } } })).toBe("hour 3");
  expect(whereText(variables, { ...row, where: { tenant: ["a", "b", "c", "d", "e", "f"] } })).toBe(
    "tenant a, b, c, d and 2 more",
  );
});

test("a row says its setting, what that earns, and which rows may have the same", () => {
  expect(rowTexts(row)).toEqual({
    setting: "ttl 12",
    mean: "0.924",
    interval: "0.900 to 0.950",
    pulls: "340 of 812",
  });
  expect(neighboursText(row)).toBe("2, 4");
});

test("a row says whether its setting keeps the limits", () => {
  const check = {
    metric: "p99",
    limit: "at most 60",
    state: "probably_kept",
    probability: 0.9,
    estimate: 57.14,
    pulls: 9,
  };
  const limited = { ...row, limits: [check] } as PolicyRow;
  expect(limitsText(limited)).toBe("p99 57.1 (at most 60): probably kept");
  expect(limitsText({ ...limited, breaks_limits: true })).toContain("no setting keeps the limits here; p99");
  expect(limitsText(row)).toBe("");
});

test("a row without rewards says nothing of them", () => {
  const empty = { where: {}, pulls: 0, arm_pulls: 0, mean: 0 };
  expect(rowTexts(empty)).toEqual({ setting: "none yet", mean: "–", interval: "", pulls: "0 of 0" });
  expect(neighboursText(empty)).toBe("–");
});

test("what the best setting depends on is said, the strongest evidence first", () => {
  const policy = (weights: Policy["weights"], rows = [row, row]): Policy => ({
    rows,
    effects: {},
    weights,
    moved: 0,
  });
  const some = { hour: { splits: 1, evidence: 3 }, tenant: { splits: 2, evidence: 31.44 } };
  expect(dependsSentence(variables, policy(some))).toBe(
    "So far the best setting depends on tenant (2 splits, evidence 31.4 nats) and hour (1 split, evidence 3 nats).",
  );
  expect(dependsSentence(variables, policy({ ...some, hour: { splits: 0, evidence: 0 } }))).toBe(
    "So far the best setting depends on tenant (2 splits, evidence 31.4 nats), and not on hour.",
  );
  expect(dependsSentence(variables, policy({}, [row]))).toBe(
    "So far the best setting is the same in all contexts.",
  );
});

test("the level effect is said from its least to its most", () => {
  expect(
    effectSentence(hour, [
      { from: 0, to: 0.375, effect: 0.02 },
      { from: 0.375, to: 0.75, effect: -0.31 },
    ]),
  ).toBe("From −0.31 (hour 0.375 to 0.75) to +0.02 (hour 0 to 0.375).");
  expect(effectSentence(tenant, [{ value: "a", effect: 2 }])).toBe(
    "From +2.0 (tenant a) to +2.0 (tenant a).",
  );
  expect(effectSentence(hour, [])).toBe("");
});

test("contexts outside of their ranges are counted", () => {
  expect(movedSentence(0)).toBe("");
  expect(movedSentence(1)).toMatch(/^One context was/);
  expect(movedSentence(12)).toMatch(/^12 contexts were/);
});

test("names are joined as in a sentence", () => {
  expect(namesText([])).toBe("");
  expect(namesText(["hour"])).toBe("hour");
  expect(namesText(["hour", "load", "tenant"])).toBe("hour, load and tenant");
});

test("only studies with contexts say which one a picture is for", () => {
  expect(regionNote({})).toBe("");
  expect(regionNote({ context: [{ name: "load", type: "real", step: 1 }] })).not.toBe("");
});
